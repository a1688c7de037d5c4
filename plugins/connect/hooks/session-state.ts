import { appendFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, formatInstant, type Random, sha256Hex } from '../../../kernel/plugin-api.ts';
import { writeWholeFile } from '../config-file.ts';
import type { UserFolders } from '../user-folders.ts';

const MAX_SESSIONS = 200;
const MAX_IDS = 5_000;
const MAX_LOG_BYTES = 256 * 1024;

/** The facts that a session was shown, and the prompts that it has stored. */
export interface SessionState {
  /** The ids of the facts that were shown. */
  readonly shown: readonly string[];
  /** Stored prompts, by the last part of their entity. */
  readonly noted: readonly string[];
}

const EMPTY: SessionState = { shown: [], noted: [] };

const folderOf = ({ cache }: UserFolders): string => join(cache, 'sessions');
const fileOf = (folders: UserFolders, session: string): string =>
  join(folderOf(folders), `${sha256Hex(session).slice(0, 32)}.json`);

/** Reads the state; empty for an unknown session, and for a damaged file. */
export const readState = async (folders: UserFolders, session: string): Promise<SessionState> => {
  if (session === '') return EMPTY;
  try {
    const { shown, noted } = JSON.parse(await readFile(fileOf(folders, session), 'utf8')) as SessionState;
    return { shown: textsOf(shown), noted: textsOf(noted) };
  } catch {
    return EMPTY;
  }
};

const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];

/** Keeps the newest ids, and the files of the newest sessions. */
export const saveState = async (
  folders: UserFolders,
  session: string,
  { shown, noted }: SessionState,
  random: Random,
): Promise<void> => {
  if (session === '') return;
  const state = { shown: shown.slice(-MAX_IDS), noted: noted.slice(-MAX_IDS) };
  await writeWholeFile(fileOf(folders, session), JSON.stringify(state), 0o600, random);
};

export const forgetOldSessions = async (folders: UserFolders): Promise<void> => {
  const names = await readdir(folderOf(folders)).catch(() => []);
  if (names.length <= MAX_SESSIONS) return;
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(folderOf(folders), name);
      return { path, writtenMs: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
    }),
  );
  const old = aged.toSorted((a, b) => b.writtenMs - a.writtenMs).slice(MAX_SESSIONS);
  for (const { path } of old) await rm(path, { force: true });
};

/** Logs one line about a failure, because a hook reports none to the client. Never rejects. */
export const logHook = async (folders: UserFolders, clock: Clock, line: string): Promise<void> => {
  const path = join(folders.cache, 'hooks.log');
  try {
    await mkdir(folders.cache, { recursive: true, mode: 0o700 });
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`);
    await appendFile(path, `${formatInstant(clock.nowMs())} ${line.replaceAll(/\s+/g, ' ').slice(0, 500)}\n`, {
      mode: 0o600,
    });
  } catch {
    // A full disk must not disturb the client either.
  }
};
