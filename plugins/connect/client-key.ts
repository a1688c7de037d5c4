import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { askServer, type CommandServer, type ServerReply } from '../../kernel/command-api.ts';
import { mayBeDone, readSecretFile, replaceSecretFile, unknownEnd } from '../../kernel/internal-api.ts';
import { type Random, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { Client, Place } from './clients/client.ts';
import { type ConnectionRecord, type MadeKey, readRecords } from './connection-record.ts';

const KEY_BYTES = 32;
const LOOK_MS = 5_000;
const LOOK = { method: 'GET', path: '/v1/me' } as const;

/** The key that the configured client will send. */
export type KeyPlan =
  /** A key in a file. With `make`, it must be registered first; `isLeft` says that an interrupted run registered it. */
  | {
      readonly kind: 'file';
      readonly file: string;
      readonly make: boolean;
      readonly isLeft?: boolean;
      readonly known?: MadeKey | undefined;
    }
  /** The user's own key for this address. With `make`, a new key is generated and stored. */
  | { readonly kind: 'kept'; readonly make: boolean }
  | { readonly kind: 'none'; readonly why: string };

interface KeyParts {
  readonly client: Client;
  readonly place: Place;
  readonly server: CommandServer;
  /** The key file that the option `--key-file` names. */
  readonly keyFile: string | undefined;
  /** The owner of the command's key; undefined if the node is down or refuses the key. */
  readonly caller: Caller | undefined;
}

/**
 * Plans the key without changing anything. Never hands an administrator's key to a client, which gets a key of its own
 * instead.
 */
export const planKey = async ({ client, place, server, keyFile, caller }: KeyParts): Promise<KeyPlan> => {
  const file = join(place.folders.own, 'clients', `${client.name}-${sha256Hex(server.url).slice(0, 16)}.key`);
  const isAdmin = caller?.permissions.includes('admin') === true;
  if (keyFile !== undefined && !isAdmin) {
    if (caller === undefined) throw unknownRights();
    return { kind: 'file', file: resolve(keyFile), make: false };
  }
  if (place.scope === 'project') return planKept(server, isAdmin);
  const known = await keyOfRecords(place, file);
  if (known !== undefined || (await isThere(file))) {
    const isRefused = caller !== undefined && (await readSecretFile(file).then((key) => isDead(server, key)));
    if (!isRefused) return { kind: 'file', file, make: false, isLeft: known === undefined, known };
  }
  if (isAdmin) return { kind: 'file', file, make: true };
  if ((await server.savedKey()) !== undefined) return { kind: 'kept', make: false };
  if (caller !== undefined)
    return { kind: 'none', why: 'start it with the variable SVC_API_KEY, which holds your key' };
  return {
    kind: 'none',
    why: `give one with --key-file, or sign in with "fact-memory-node login --url ${server.url}"`,
  };
};

const planKept = async (server: CommandServer, isAdmin: boolean): Promise<KeyPlan> => {
  const saved = await server.savedKey();
  if (saved !== undefined && !(isAdmin && (await isDead(server, saved)))) return { kind: 'kept', make: false };
  if (isAdmin) return { kind: 'kept', make: true };
  return { kind: 'none', why: 'everybody who opens the project needs SVC_API_KEY, or "fact-memory-node login"' };
};

const unknownRights = (): ServiceError =>
  new ServiceError('unavailable', 'the node does not say what the key in the file may do', {
    hint: 'start the node, and check the address and the key; the key of an administrator must not go to a client',
  });

export interface Caller {
  readonly entity: string;
  readonly permissions: readonly string[];
}

/** The owner of the command's key; undefined if the node cannot be reached or refuses the key. */
export const readCaller = async (server: CommandServer): Promise<Caller | undefined> =>
  callerOf(await look(server, undefined));

/** Works as `readCaller`, and also distinguishes a node that is down from a node that refuses the key. */
export const lookAtNode = async (
  server: CommandServer,
): Promise<{ readonly isDown: boolean; readonly isRefused: boolean; readonly caller: Caller | undefined }> => {
  let isDown = false;
  const reply = await server.send({ ...LOOK, timeoutMs: LOOK_MS }).catch((error: unknown) => {
    // Any other error concerns the key, and occurred before anything was sent.
    isDown = error instanceof ServiceError && error.code === 'unavailable';
    return undefined;
  });
  return { isDown, isRefused: reply?.status === 401, caller: callerOf(reply) };
};

/** Returns whether the command itself has a key for its node. Without one, the node refuses no key. */
export const hasOwnKey = async (
  server: CommandServer,
  keyFile: string | undefined,
  { SVC_API_KEY: variable = '' }: Readonly<Record<string, string | undefined>>,
): Promise<boolean> => keyFile !== undefined || variable.trim() !== '' || (await server.savedKey()) !== undefined;

const callerOf = (reply: ServerReply | undefined): Caller | undefined => {
  const { entity_uri: entity, permissions } = reply?.document ?? {};
  if (reply?.status !== 200 || typeof entity !== 'string' || !Array.isArray(permissions)) return undefined;
  return { entity, permissions };
};

const isDead = async (server: CommandServer, key: string | undefined): Promise<boolean> =>
  key === undefined || (await look(server, key))?.status === 401;

const look = (server: CommandServer, key: string | undefined): Promise<ServerReply | undefined> =>
  server.send({ ...LOOK, timeoutMs: LOOK_MS, ...(key === undefined ? {} : { key }) }).catch(() => undefined);

const isThere = (file: string): Promise<boolean> =>
  readFile(file).then(
    () => true,
    () => false,
  );

const keyOfRecords = async ({ folders }: Place, file: string): Promise<MadeKey | undefined> =>
  (await readRecords(folders)).find(({ key }) => key?.file === file)?.key ?? undefined;

/** Registers the planned key, if there is one. Returns its record. */
export const makeKey = async (
  plan: KeyPlan,
  { client, server, place }: Pick<KeyParts, 'client' | 'server' | 'place'>,
  random: Random,
): Promise<MadeKey | null> => {
  if (plan.kind === 'none') return null;
  if (plan.kind === 'file' && plan.isLeft === true) return keyLeftIn(plan.file, server);
  if (!plan.make) return plan.kind === 'file' ? (plan.known ?? null) : null;
  const rawKey = Buffer.from(random.bytes(KEY_BYTES)).toString('hex');
  // Writes the file before it registers the key: a registered key that nobody holds would be worse than an unregistered
  // key in a file.
  const file = plan.kind === 'file' ? plan.file : (await server.saveKey(rawKey)).path;
  if (plan.kind === 'file') await replaceSecretFile(file, rawKey, random);
  try {
    const { document } = await askServer(server, {
      method: 'POST',
      path: '/v1/auth/keys',
      body: {
        raw_key: rawKey,
        entity_uri: `agent:${client.name}${userSuffix(place)}`,
        permissions: ['read', 'write'],
        description: `${client.title}, connected from the command line`,
      },
    });
    return { file, id: String(document['id']) };
  } catch (error) {
    if (mayBeDone(error)) throw unknownEnd(error, 'the key of the client may be registered', goesOnWith(file));
    await rm(file, { force: true });
    throw error;
  }
};

/** Returns null if the node tells this key from no other key of its entity: it has no id to be revoked by. */
const keyLeftIn = async (file: string, server: CommandServer): Promise<MadeKey | null> => {
  const key = (await readSecretFile(file)) ?? '';
  const listed = await server
    .send({ method: 'GET', path: '/v1/auth/keys', key, timeoutMs: LOOK_MS })
    .catch(() => undefined);
  const keys: unknown = listed?.status === OK ? JSON.parse(listed.text) : undefined;
  return Array.isArray(keys) && keys.length === 1 ? { file, id: String(keys[0].id) } : null;
};

const OK = 200;

const goesOnWith = (file: string): string => `give the same command again: it goes on with the key in ${file}`;

const userSuffix = ({ folders: { env } }: Place): string => {
  const name = (env['USER'] ?? env['USERNAME'] ?? '').toLowerCase().replaceAll(/[^a-z0-9._-]/g, '');
  return name === '' ? '' : `-${name.slice(0, 64)}`;
};

/** Revokes the key of a removed connection, unless another connection uses it. Returns a remark for the user. */
export const endKey = async (
  { client, scope, folder, key }: ConnectionRecord,
  place: Place,
  server: CommandServer,
): Promise<string | undefined> => {
  if (key === null) return undefined;
  const others = (await readRecords(place.folders)).filter(
    (other) => other.client !== client || other.scope !== scope || other.folder !== folder,
  );
  if (others.some((other) => other.key?.file === key.file)) return undefined;
  const rawKey = await readSecretFile(key.file).catch(() => undefined);
  const path = `/v1/auth/keys/${encodeURIComponent(key.id)}`;
  const status =
    rawKey === undefined
      ? undefined
      : await server.send({ method: 'DELETE', path, key: rawKey, timeoutMs: LOOK_MS }).then(
          (reply) => reply.status,
          () => undefined,
        );
  await rm(key.file, { force: true });
  // 401 and 404 mean that the key was already revoked or had expired.
  return status === 204 || status === 401 || status === 404
    ? undefined
    : `The node did not end the key ${key.id}: revoke it with "fact-memory-node key revoke ${key.id}"`;
};
