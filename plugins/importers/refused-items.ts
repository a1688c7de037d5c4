import { appendFile, writeFile } from 'node:fs/promises';
import type { Progress } from '../../kernel/command-api.ts';

/** The maximum number of items shown on a terminal. */
const MAX_SHOWN = 50;

/** Reports refused items with their reasons. */
export interface RefusedItems {
  add(at: string, reason: string): void;
  /** Prints the items that were refused since the last call. */
  flush(): Promise<void>;
  /** Prints the number of items that were not shown. */
  end(): void;
}

/**
 * Lists the first items on standard error, and all of them in the named file. A resumed run adds to the file of the
 * interrupted run; any other overwrites it.
 */
export const createRefusedItems = async (
  progress: Pick<Progress, 'say'>,
  file: string | undefined,
  isResumed = false,
): Promise<RefusedItems> => {
  if (file !== undefined) await writeFile(file, '', { mode: 0o600, flag: isResumed ? 'a' : 'w' });
  let count = 0;
  let waiting = '';
  return {
    add(at, reason) {
      count += 1;
      if (count <= MAX_SHOWN) progress.say(`${printable(at)}: ${printable(reason)}`);
      if (file !== undefined) waiting += `${JSON.stringify({ at, reason })}\n`;
    },
    async flush() {
      if (file === undefined || waiting === '') return;
      const text = waiting;
      waiting = '';
      await appendFile(file, text);
    },
    end() {
      if (count <= MAX_SHOWN) return;
      const more = `further refused: ${count - MAX_SHOWN}`;
      progress.say(file === undefined ? `${more}; list all of them in a file with --refused` : `${more}; see ${file}`);
    },
  };
};

const MAX_TEXT = 300;

/** Replaces control characters, because names of files and reasons come from outside. */
export const printable = (text: string): string => text.replaceAll(/[\p{C}]+/gu, ' ').slice(0, MAX_TEXT);
