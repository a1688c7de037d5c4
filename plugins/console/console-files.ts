import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { PageFiles } from './console-page.ts';

/** A file that browsers cache for ever, because its name changes with its content. */
export interface ConsoleFile {
  readonly contentType: string;
  /** The Brotli-compressed content, if the build made one. */
  readonly brotli?: Uint8Array;
  /** The uncompressed content. */
  readonly plain: () => Promise<Uint8Array>;
}

/** The result of the build: names of files, and those that the page loads at once. */
interface BuiltFiles extends PageFiles {
  readonly files: readonly string[];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The built application beside this module. Files are read on first use. */
export class ConsoleFiles {
  readonly #folder = new URL('./files/', import.meta.url);
  readonly #read = new Map<string, Promise<ConsoleFile>>();
  #built: Promise<BuiltFiles> | undefined;

  /** Names of the page's script and style sheet. */
  async entry(): Promise<PageFiles> {
    return this.#list();
  }

  /** Returns a file of the application; undefined for an unknown name. */
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
    // After a failed read, the next request tries again.
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
