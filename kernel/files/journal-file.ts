import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readLines } from '../commands/read-lines.ts';
import type { Logger } from '../log/logger.ts';
import { openOrdinaryFile } from './ordinary-file.ts';
import { unusableFile } from './unusable-file.ts';

/** Longer lines are no lines that a node wrote, and would fill the memory. */
const MOST_LINE_BYTES = 64 * 1024;
const OWNER_ONLY = 0o600;
/** Without waiting, because a pipe without a reader would hold the call and a thread for ever. */
const APPENDED = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
/** How many damaged lines a warning names. */
const MOST_NAMED = 5;

/** A line of a journal, counted from 1. */
export interface JournalLine {
  readonly number: number;
  /** Without spaces around it. Undefined for a line that is too long. */
  readonly text: string | undefined;
}

/**
 * Reads the lines of a journal that are not empty; none of a missing file. Throws `unavailable`, with the name of the
 * file, for one that is not a regular file or may not be read.
 */
export async function* readJournal(file: string): AsyncGenerator<JournalLine> {
  const handle = await openOrdinaryFile(file).catch((error: unknown) => {
    throw unusableFile(file, error);
  });
  if (handle === undefined) return;
  try {
    for await (const { number, bytes } of readLines(handle.createReadStream({ autoClose: false }), MOST_LINE_BYTES)) {
      const text = bytes?.toString('utf8').trim();
      if (text !== '') yield { number, text };
    }
  } finally {
    await handle.close();
  }
}

/**
 * Appends lines to a journal, and creates it with its folder. Resolves when they are on disk, with the result of
 * `meanwhile`, which gets the open file. Rejects as `readJournal` does.
 */
export const appendLines = async <T = void>(
  file: string,
  lines: readonly string[],
  meanwhile?: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> => {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, APPENDED, OWNER_ONLY);
    try {
      if (!(await handle.stat()).isFile()) throw new Error('not a regular file');
      await handle.appendFile(spelledLines(lines));
      await handle.sync();
      return await meanwhile?.(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unusableFile(file, error);
  }
};

/** Starts a new line, because a crash may have cut the last one. */
export const spelledLines = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;

/** Counts the lines of a journal that are passed over, for one warning. */
export class DamagedLines {
  readonly #file: string;
  readonly #first: number[] = [];
  #count = 0;

  constructor(file: string) {
    this.#file = file;
  }

  add(number: number): void {
    this.#count += 1;
    if (this.#first.length < MOST_NAMED) this.#first.push(number);
  }

  warn(log: Pick<Logger, 'warn'>): void {
    if (this.#count === 0) return;
    log.warn(
      'lines of a journal are damaged or were not written by this node, and are passed over; put back a copy of the file',
      { file: this.#file, count: this.#count, lines: this.#first },
    );
  }
}
