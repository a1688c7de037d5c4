import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Random, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { AppliedEdit, ConfigEdit, UndoneEdit } from './config-edit.ts';
import { type ConfigFile, readConfigFile, removeConfigFile, replaceConfigFile, writeWholeFile } from './config-file.ts';
import type { FileRecord } from './connection-record.ts';
import { applyJson, hasJson, undoJson } from './json-edit.ts';
import { applyToml, hasToml, undoToml } from './toml-edit.ts';
import type { UserFolders } from './user-folders.ts';

/** The planned change of one file. Nothing is written yet. */
export interface FilePlan {
  readonly file: ConfigFile;
  /** Undefined if the file would be removed. */
  readonly text: string | undefined;
  /** The file as `disconnect` would restore it; undefined if it would remove the file. */
  readonly base: string | undefined;
  readonly applied: AppliedEdit | undefined;
  /** The record of an earlier connection, if it has not changed. */
  readonly record: FileRecord | undefined;
  /** Added parts that stay, because the user has changed them since. */
  readonly kept: readonly string[];
}

export const isChange = ({ file, text }: FilePlan): boolean => file.text !== text;

/** Plans an edit, and in the same step removes the changes of an earlier connection. */
export const planEdit = (
  { path, edit, within }: { readonly path: string; readonly edit: ConfigEdit; readonly within: string | undefined },
  record: FileRecord | undefined,
): Promise<FilePlan> =>
  withPath(path, async () => {
    const file = await readConfigFile(path, within);
    if (file.text !== undefined && isWithin(record?.added, edit) && (await isApplied(file.text, edit))) {
      return { file, text: file.text, base: file.text, applied: undefined, record, kept: [] };
    }
    const base = record === undefined ? file.text : (await undone(file, record, false)).text;
    const applied = await apply(base ?? '', edit);
    return { file, text: applied.text, base, applied, record: undefined, kept: [] };
  });

/**
 * Plans the restoration of a file, which must still be within the folder. An unchanged file gets exactly its former
 * content back.
 */
export const planUndo = (record: FileRecord, force: boolean, within: string | undefined): Promise<FilePlan> =>
  withPath(record.path, async () => {
    const file = await readConfigFile(record.realPath, within);
    const { text, kept } = await undone(file, record, force);
    return { file: { ...file, path: record.path }, text, base: text, applied: undefined, record, kept };
  });

const undone = async (file: ConfigFile, record: FileRecord, force: boolean): Promise<UndoneEdit> => {
  if (file.text === undefined) return { text: undefined, kept: [] };
  const isUntouched = sha256Hex(file.text) === record.writtenSha256;
  const before = record.backup === null ? undefined : await readFile(record.backup, 'utf8').catch(() => undefined);
  if (isUntouched && (record.backup === null || before !== undefined)) return { text: before, kept: [] };
  const { added, created, backup } = record;
  const result =
    added.form === 'json'
      ? await undoJson(file.text, added.changes, created, force)
      : await undoToml(file.text, added, force);
  // A file that existed before the connection stays, even if it is empty.
  if (result.text === undefined && backup !== null) return { ...result, text: added.form === 'json' ? '{}\n' : '' };
  return result;
};

/** False if the earlier edit has a part that the new one lacks, such as a hook that is no longer wanted. */
const isWithin = (earlier: ConfigEdit | undefined, edit: ConfigEdit): boolean =>
  earlier?.form !== 'json' ||
  edit.form !== 'json' ||
  earlier.changes.every((change) => edit.changes.some((other) => isDeepStrictEqual(change, other)));

const isApplied = (text: string, edit: ConfigEdit): Promise<boolean> =>
  edit.form === 'json' ? hasJson(text, edit.changes) : hasToml(text, edit);

const apply = (text: string, edit: ConfigEdit): Promise<AppliedEdit> =>
  edit.form === 'json' ? applyJson(text, edit.changes) : applyToml(text, edit);

/** Adds the name of the file to the refusal of an edit. */
const withPath = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.message.includes(path)) throw error;
    const { hint } = error;
    throw new ServiceError({ id: error.code, status: error.status }, `${path} ${error.message}`, {
      cause: error,
      hint: hint ?? 'mend the file, and run this again; nothing was changed',
    });
  }
};

/** Returns the record of a plan, and stores the backup of the file that the record needs. */
export const recordOf = async (
  plan: FilePlan,
  folders: UserFolders,
  random: Random,
): Promise<FileRecord | undefined> => {
  const { file, base, text, applied, record } = plan;
  if (applied === undefined) return isChange(plan) ? undefined : record;
  const backup = base === undefined ? null : await keepBackup(file.realPath, base, folders, random);
  return {
    path: file.path,
    realPath: file.realPath,
    added: applied.added,
    created: applied.created,
    writtenSha256: sha256Hex(text ?? ''),
    backup,
  };
};

/** Stores a backup. Equal texts of the same file share one. */
const keepBackup = async (path: string, text: string, folders: UserFolders, random: Random): Promise<string> => {
  const name = `${basename(path)}.${sha256Hex(path).slice(0, 8)}.${sha256Hex(text).slice(0, 16)}.bak`;
  const backup = join(folders.own, 'backups', name);
  await writeWholeFile(backup, text, 0o600, random);
  return backup;
};

/** Executes the plan. Returns the outermost folder made for the file. */
export const carryOut = async ({ file, text, record }: FilePlan, random: Random): Promise<string | undefined> => {
  if (file.text === text) return undefined;
  if (text !== undefined) return replaceConfigFile(file, text, random);
  await removeConfigFile(file.realPath, record?.madeFolder);
  return undefined;
};
