import { constants, createReadStream } from 'node:fs';
import { lstat, open, rename } from 'node:fs/promises';
import { readLines } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { DraftChunk } from './draft-chunks.ts';
import { linesOf, repetitionKey } from './draft-chunks.ts';
import { isObject, member, parsedObject, shortDigest } from './origin-values.ts';

const MAX_LINE_BYTES = 64 * 1024;

/** The names of a fact that an import stored, and keys by which a later import recognises it. */
export interface EarlierItem {
  readonly triple: string;
  /** A key that is equal for a fact and its repetitions. */
  readonly fact: string;
  readonly names: Readonly<Record<string, unknown>>;
}

const NAMES = ['entity', 'relation', 'source', 'scope', 'garden_id'] as const;

const itemOf = (line: string): EarlierItem => {
  const fact: unknown = JSON.parse(line);
  const names = Object.fromEntries(NAMES.map((name) => [name, member(fact, name)]));
  const place = [names['entity'], names['relation'], names['scope'], names['garden_id']];
  return { triple: shortDigest(JSON.stringify(place)), fact: repetitionKey(line), names };
};

export const itemsOfChunk = (chunk: DraftChunk): readonly EarlierItem[] => linesOf(chunk.body).map(itemOf);

/** A file with the items of the last import of one source. */
export interface ItemsFile {
  /** Yields the items; none if the file does not exist. */
  read(): AsyncIterable<EarlierItem>;
  /**
   * Opens a draft of the new file. A resumed run appends to the draft of the interrupted run, or to the new file if
   * that run had come so far.
   */
  begin(isResumed: boolean): Promise<void>;
  add(items: readonly EarlierItem[]): Promise<void>;
  /** Replaces the file by the draft. */
  finish(): Promise<void>;
}

export const itemsFileAt = (path: string): ItemsFile => {
  const draft = `${path}.next`;
  return {
    async *read() {
      for await (const { bytes } of readLines(fileBytes(path), MAX_LINE_BYTES)) {
        const { triple, fact, names } = parsedObject(bytes?.toString() ?? '') ?? {};
        if (typeof triple === 'string' && typeof fact === 'string' && isObject(names)) yield { triple, fact, names };
      }
    },
    async begin(isResumed) {
      if (!isResumed) return write(draft, '', constants.O_TRUNC);
      if (!(await isThere(draft))) await rename(path, draft).catch(ignoreMissing);
      // A kill may have cut the last line.
      await write(draft, '\n', constants.O_APPEND);
    },
    async add(items) {
      const lines = items.map((item) => `${JSON.stringify(item)}\n`);
      if (lines.length > 0) await write(draft, lines.join(''), constants.O_APPEND);
    },
    finish: () => rename(draft, path),
  };
};

async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    ignoreMissing(error);
  }
}

const ignoreMissing = (error: unknown): void => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
};

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Writes to a file. Refuses a symbolic link, because another user may have placed it in the folder. */
const write = async (path: string, text: string, how: number): Promise<void> => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | how;
  const handle = await open(path, flags, 0o600).catch((cause: unknown) => {
    throw new ServiceError('unavailable', `the items of the import cannot be written to ${path}`, {
      cause,
      hint: 'remove that file, or name a file in a folder that you may write to with --state',
    });
  });
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
};
