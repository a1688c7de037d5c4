import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandServer } from '../../../kernel/command-api.ts';
import { type Clock, type Random, ServiceError } from '../../../kernel/plugin-api.ts';
import { writeWholeFile } from '../config-file.ts';
import type { UserFolders } from '../user-folders.ts';
import { type NoteFact, storeNotes } from './note-session.ts';

/** The maximum number of sessions whose notes are not sent yet. */
const MAX_FILES = 100;
/** The number of files that one hook sends, because its client waits. */
const MAX_SENT = 5;

const folderOf = ({ cache }: UserFolders): string => join(cache, 'pending-notes');

/**
 * Stores notes in a file until the node has them. Call it before sending them, because a hook may be stopped at its
 * deadline. Deletes the oldest files if there are too many. Returns the path; undefined if the folder cannot be
 * written.
 */
export const keepNotes = async (
  facts: readonly NoteFact[],
  { url }: CommandServer,
  folders: UserFolders,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<string | undefined> => {
  const folder = folderOf(folders);
  const path = join(folder, `${String(clock.nowMs()).padStart(15, '0')}-${random.uuid()}.json`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWholeFile(path, JSON.stringify({ url, facts }), 0o600, random);
    const names = (await readdir(folder)).sort();
    for (const name of names.slice(0, -MAX_FILES)) await rm(join(folder, name), { force: true });
    return path;
  } catch {
    return undefined;
  }
};

export const dropNotes = async (path: string | undefined): Promise<void> => {
  if (path !== undefined) await rm(path, { force: true });
};

/** Sends notes that an earlier hook could not send, oldest first. The node recognises notes that it has already. */
export const sendKeptNotes = async (server: CommandServer, folders: UserFolders): Promise<void> => {
  const folder = folderOf(folders);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
  let sent = 0;
  for (const name of names) {
    if (sent === MAX_SENT) return;
    const path = join(folder, name);
    const kept = await readKept(path);
    if (kept === undefined) await dropNotes(path);
    if (kept?.url !== server.url) continue;
    try {
      await storeNotes(kept.facts, server);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    await dropNotes(path);
    sent += 1;
  }
};

/** Returns true for an error that would occur again. Notes with other errors may be stored later. */
const isRefusal = (error: unknown): boolean => error instanceof ServiceError && REFUSALS.has(error.status);
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

const readKept = async (
  path: string,
): Promise<{ readonly url: string; readonly facts: readonly NoteFact[] } | undefined> => {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8'));
    return typeof kept.url === 'string' && Array.isArray(kept.facts) ? kept : undefined;
  } catch {
    return undefined;
  }
};
