import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { Place, Scope } from './clients/client.ts';
import type { ConfigEdit } from './config-edit.ts';
import { writeWholeFile } from './config-file.ts';
import type { UserFolders } from './user-folders.ts';

/** The changes to one file, so that `disconnect` undoes exactly these. */
export interface FileRecord {
  readonly path: string;
  readonly realPath: string;
  readonly added: ConfigEdit;
  /** Paths of objects and lists that were made, the outer ones first. */
  readonly created: readonly (readonly string[])[];
  /** Digest of the whole file after the edit. */
  readonly writtenSha256: string;
  /** Copy of the file before the edit; null if there was none. */
  readonly backup: string | null;
  /** The outermost folder that was made for the file. */
  readonly madeFolder?: string | undefined;
}

/** A key that was made for a client. */
export interface MadeKey {
  readonly file: string;
  readonly id: string;
}

/** One connection of a client that this program has written. */
export interface ConnectionRecord {
  readonly client: string;
  readonly scope: Scope;
  /** The project; null for the scope `user`. */
  readonly folder: string | null;
  /** Name of the server in the files of the client. */
  readonly name: string;
  readonly url: string;
  readonly files: readonly FileRecord[];
  readonly key: MadeKey | null;
  /** True if the hooks recall the notes of every project. */
  readonly shareNotes?: boolean | undefined;
  /** `agent` if the hooks also note what the agent concluded. */
  readonly note?: string | undefined;
}

const MAX_RECORDS = 1_000;

const folderOf = (folders: UserFolders): string => join(folders.own, 'connections');

const fileOf = (folders: UserFolders, client: string, scope: Scope, folder: string | null): string => {
  const project = scope === 'project' ? `-${sha256Hex(folder ?? '').slice(0, 16)}` : '';
  return join(folderOf(folders), `${client}-${scope}${project}.json`);
};

export const readRecord = async (client: string, place: Place): Promise<ConnectionRecord | undefined> => {
  const { folders, scope, folder } = place;
  return readRecordFile(fileOf(folders, client, scope, folder));
};

/** All connections of this user, at most a thousand. */
export const readRecords = async (folders: UserFolders): Promise<readonly ConnectionRecord[]> => {
  const names = await readdir(folderOf(folders)).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).slice(0, MAX_RECORDS);
  const records = await Promise.all(files.map((name) => readRecordFile(join(folderOf(folders), name))));
  return records.filter((record) => record !== undefined);
};

const readRecordFile = async (path: string): Promise<ConnectionRecord | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as ConnectionRecord;
    if (typeof record.client === 'string' && Array.isArray(record.files)) return record;
  } catch {
    // An unreadable file is reported below, like any unusable record.
  }
  throw new ServiceError('validation', `${path} is no record of a connection`, {
    hint: 'remove that file; what it has recorded must then be taken out of the configuration by hand',
  });
};

/** Saves the record. Call it before the files are edited, because an edit without a record could not be undone. */
export const saveRecord = async (folders: UserFolders, record: ConnectionRecord, random: Random): Promise<void> => {
  const path = fileOf(folders, record.client, record.scope, record.folder);
  await writeWholeFile(path, `${JSON.stringify(record, undefined, 2)}\n`, 0o600, random);
};

export const removeRecord = async (folders: UserFolders, record: ConnectionRecord): Promise<void> =>
  rm(fileOf(folders, record.client, record.scope, record.folder), { force: true });
