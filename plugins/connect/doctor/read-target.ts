import { isDeepStrictEqual } from 'node:util';
import { maskUrls, readOrdinaryFile } from '../../../kernel/internal-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import type { Client, Place, WrittenEntry } from '../clients/client.ts';
import type { ConnectionRecord } from '../connection-record.ts';
import { applyJson } from '../json-edit.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

export type Env = Readonly<Record<string, string | undefined>>;

/** The entry of a client with every reference resolved. */
export interface Target {
  readonly entry: WrittenEntry;
  readonly url: string;
  readonly path: string;
  /** The key that the client would send; undefined if the program that it starts finds a key by itself. */
  readonly key: string | undefined;
  /** The variable that a client over HTTP sends as the key. */
  readonly keyVariable: string | undefined;
  /** The key file that the entry names. */
  readonly keyFile: string | undefined;
  /** True if the entry is exactly the one that `connect` wrote. Any other entry may come from a stranger. */
  readonly isRecorded: boolean;
}

export interface TargetPlace {
  readonly client: Client;
  readonly place: Place;
  /** The name of the server in the client's file. */
  readonly name: string;
  readonly record: ConnectionRecord | undefined;
  readonly env: Env;
}

export const readTarget = async ({ client, place, name, record, env }: TargetPlace): Promise<Target> => {
  const file = client.serverFile(place);
  const text = (await readOrdinaryFile(file, MAX_FILE_BYTES))?.toString('utf8');
  if (text === undefined) throw new ServiceError('lookup', `there is no file ${file}`);
  const entry = await client.readEntry(text, name).catch((error: unknown) => {
    throw error instanceof ServiceError ? new ServiceError('validation', `${file} ${error.message}`) : error;
  });
  if (entry === undefined) throw new ServiceError('lookup', `${file} has no server ${name}`);
  const home = entry.env['SVC_URL'] ?? env['SVC_URL'] ?? 'http://127.0.0.1:8765';
  const address = entry.url ?? optionOf(entry.args, '--url') ?? home;
  if (!URL.canParse(address)) throw new ServiceError('validation', `the address in ${file} is no URL`);
  const path = entry.url === undefined ? '' : new URL(address).pathname;
  const keyVariable = entry.url === undefined ? undefined : variableOf(entry);
  return {
    entry,
    url: path === '' ? address : address.slice(0, address.lastIndexOf('/v1/mcp')),
    path,
    key: entry.url === undefined ? ownKeyOf(entry, address, home) : env[keyVariable ?? '']?.trim() || undefined,
    keyVariable,
    keyFile: entry.url === undefined ? optionOf(entry.args, '--key-file') : undefined,
    isRecorded: record !== undefined && isDeepStrictEqual(entry, await recordedEntry(client, file, record)),
  };
};

const optionOf = (args: readonly string[], name: string): string | undefined => {
  const place = args.indexOf(name);
  return place < 0 ? undefined : args[place + 1];
};

/** The variable whose value the client sends as the key. */
export const variableOf = ({ headers, bearerVariable }: WrittenEntry): string | undefined =>
  bearerVariable ?? /\{(?:env:)?(\w{1,128})\}/.exec(headers['Authorization'] ?? '')?.[1];

/** Returns the key in the entry's variables. The started program sends it only to the address in its other variable. */
const ownKeyOf = ({ env }: WrittenEntry, address: string, home: string): string | undefined =>
  URL.canParse(home) && new URL(home).href === new URL(address).href ? env['SVC_API_KEY'] : undefined;

/** Reads the entry that `connect` has written into this file. */
export const recordedEntry = async (client: Client, file: string, { files, name }: ConnectionRecord) => {
  const added = files.find(({ path }) => path === file)?.added;
  if (added === undefined) return undefined;
  const text = added.form === 'json' ? (await applyJson('', added.changes)).text : added.lines.join('\n');
  return client.readEntry(text, name);
};

/** Describes the effects of the entry. Names the variables, but not their values. */
export const describeEntry = ({ entry, url }: Target): string => {
  const names = Object.keys(entry.env);
  if (entry.url === undefined) {
    const more = names.length === 0 ? '' : ` and its own variables ${names.join(', ')}`;
    return `starts "${[entry.command, ...entry.args].join(' ')}" with your variables${more}`;
  }
  const variable = variableOf(entry);
  return `sends ${variable === undefined ? 'requests' : `the variable ${variable}`} to ${maskUrls(url)}`;
};
