import { rename, rm, writeFile } from 'node:fs/promises';
import { newDraft, readOrdinaryFile } from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';
import { isObject } from './origin-values.ts';

const VERSION = 1;
const MAX_BYTES = 64 * 1024;

/** The progress of a run. */
export interface ImportState {
  /** Digest of the input and of all options that affect its facts. Another digest means another import. */
  readonly digest: string;
  /** Number of completed input items. */
  readonly position: number;
  readonly refused: number;
  readonly isDone: boolean;
}

/** A file from which a later run resumes. */
export interface StateFile {
  readonly path: string;
  /** Returns undefined without a file, and for the state of another import. */
  read(digest: string): Promise<ImportState | undefined>;
  /** Replaces the whole file atomically, so that a killed run leaves the previous state. */
  write(state: ImportState): Promise<void>;
}

export const stateFileAt = (path: string, random: Random): StateFile => ({
  path,
  async read(digest) {
    // Reads only a regular file, because --state may name a folder in which a stranger has placed links.
    const bytes = await readOrdinaryFile(path, MAX_BYTES).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const state = parse(bytes.toString('utf8'));
    return state?.digest === digest ? state : undefined;
  },
  async write(state) {
    // An unpredictable name for a new file, so that no planted link redirects the write.
    const draft = newDraft(path, random);
    try {
      await writeFile(draft, `${JSON.stringify({ version: VERSION, ...state })}\n`, { mode: 0o600, flag: 'wx' });
      await rename(draft, path);
    } catch (cause) {
      await rm(draft, { force: true });
      throw new ServiceError('unavailable', `the state of the import cannot be written to ${path}`, {
        cause,
        hint: 'name a file in a folder that you may write to with --state',
      });
    }
  },
});

const parse = (text: string): ImportState | undefined => {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(state) || state['version'] !== VERSION) return undefined;
  const { digest, position, refused, isDone } = state;
  if (typeof digest !== 'string' || !isCount(position) || !isCount(refused) || typeof isDone !== 'boolean') {
    return undefined;
  }
  return { digest, position, refused, isDone };
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
