import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** A file that browsers load and keep: its name changes with its content. */
export interface ConsoleFile {
  readonly contentType: string;
  /** Compressed by Brotli, where it lies so. */
  readonly brotli?: Uint8Array;
  /** As it is. */
  readonly plain: () => Promise<Uint8Array>;
}

/** What the build made of the application: names of files, and those that the shell loads at once. */
interface BuiltFiles {
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The application as the build left it beside this module. Files are read when somebody first asks for them. */
export class ConsoleFiles {
  readonly #folder = new URL('./files/', import.meta.url);
  readonly #read = new Map<string, Promise<ConsoleFile>>();
  #built: Promise<BuiltFiles> | undefined;

  /** Names of the script and of the style sheet with which a page begins. */
  async entry(): Promise<{ readonly script: string; readonly style: string }> {
    return this.#list();
  }

  /** Undefined for a name that is no file of the application. */
  async file(name: string): Promise<ConsoleFile | undefined> {
    // Only names that the build listed are ever put into a path.
    if (!(await this.#list()).files.includes(name)) return undefined;
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const reading = readFile(new URL(`${name}.br`, this.#folder)).then((brotli) => ({
      contentType,
      brotli,
      plain: () => decompress(brotli),
    }));
    // The next request tries again to read what could not be read.
    reading.catch(() => this.#read.delete(name));
    this.#read.set(name, reading);
    return reading;
  }

  #list(): Promise<BuiltFiles> {
    this.#built ??= readFile(new URL('files.json', this.#folder), 'utf8').then(
      (text) => JSON.parse(text) as BuiltFiles,
      (error: unknown) => {
        this.#built = undefined;
        throw error;
      },
    );
    return this.#built;
  }
}

const decompress = promisify<Uint8Array, Uint8Array>(brotliDecompress);
