import { ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { ConsoleScreen } from './console-api.ts';
import type { ConsoleFile } from './console-files.ts';

/** A screen of another plugin, as described to the application. */
export interface ListedScreen {
  readonly name: string;
  readonly title: string;
  readonly permissions: readonly string[];
  /** Names of files below `/console/files/`. */
  readonly script: string;
  readonly style: string | null;
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const HASH_DIGITS = 16;

/** The screens that plugins add, and their files. Throws for a malformed name, and for one that two plugins use. */
export class ContributedScreens {
  readonly listed: readonly ListedScreen[];
  readonly #files = new Map<string, ConsoleFile>();

  constructor(screens: readonly ConsoleScreen[], taken: ReadonlySet<string>) {
    const seen = new Set(taken);
    this.listed = screens.map((screen) => {
      const { name, title, permissions = [], script, style } = screen;
      if (!NAME.test(name)) throw new ServiceError('validation', `"${name}" is no name of a screen of the console`);
      if (seen.has(name)) throw new ServiceError('validation', `the console has two screens named "${name}"`);
      seen.add(name);
      return {
        name,
        title,
        permissions,
        script: this.#keep(name, 'js', script),
        style: style === undefined ? null : this.#keep(name, 'css', style),
      };
    });
  }

  file(name: string): ConsoleFile | undefined {
    return this.#files.get(name);
  }

  #keep(name: string, ending: 'js' | 'css', content: string | Uint8Array): string {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const file = `screen-${name}-${sha256Hex(bytes).slice(0, HASH_DIGITS)}.${ending}`;
    const contentType = ending === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8';
    this.#files.set(file, { contentType, plain: async () => bytes });
    return file;
  }
}
