import { DEFAULT_TENANT, type FactStore, ServiceError, type WriteTransaction } from '../../ports/ports.ts';
import { decodeBase64Url, encodeBase64Url } from '../crypto/base64url.ts';
import type { Random } from '../crypto/random.ts';
import { UNICODE_VERSION } from '../text/unicode-table.ts';
import type { NodeSelf } from './node-self.ts';
import { createServiceNames } from './service-names.ts';

export interface NodeIdentitySettings {
  readonly serviceName: string;
  /** The node id; without it, the first start generates one. */
  readonly nodeId?: string | undefined;
  /** An absolute http or https URL. */
  readonly nodeUrl: string;
}

export interface NodeRecord {
  readonly self: NodeSelf;
  /** The secret that authenticates page cursors, the same in every process on the store. */
  readonly cursorSecret: Uint8Array;
}

const TABLE = 'node_settings';
const CURSOR_SECRET_BYTES = 32;

/**
 * The identity of the node in its store. The first start writes it, every later one reads it; several first starts at
 * once agree on one. Another identity is refused, because facts already carry the name and the id. So is another
 * version of Unicode, because match keys are stored.
 */
export const openNodeRecord = async (
  store: FactStore,
  settings: NodeIdentitySettings,
  random: Random,
): Promise<NodeRecord> => {
  const names = createServiceNames(settings.serviceName);
  const stored = await store.write(DEFAULT_TENANT, async (transaction) => ({
    name: await keep(transaction, 'service_name', () => settings.serviceName),
    nodeId: await keep(transaction, 'node_id', () => settings.nodeId ?? names.nodeId(random.uuid())),
    unicode: await keep(transaction, 'unicode_version', () => UNICODE_VERSION),
    secret: await keep(transaction, 'cursor_secret', () => encodeBase64Url(random.bytes(CURSOR_SECRET_BYTES))),
  }));
  refuseOthers(stored, settings);
  refuseOtherKeys(stored.unicode);
  const cursorSecret = decodeBase64Url(stored.secret);
  if (cursorSecret === null) throw new ServiceError('unavailable', 'the cursor secret in the store is damaged');
  const url = new URL(settings.nodeUrl);
  const nodeUrl = settings.nodeUrl.replace(/\/+$/, '');
  return { self: Object.freeze({ names, nodeId: stored.nodeId, nodeUrl, authority: url.host }), cursorSecret };
};

/** Refuses a store of another identity, as a start would. Changes nothing, and accepts a store without an identity. */
export const checkNodeRecord = async (store: FactStore, settings: NodeIdentitySettings): Promise<void> => {
  if (!(await store.tables()).includes(TABLE)) return;
  const rows = await store.read((snapshot) =>
    snapshot.select(TABLE, { key: ['service_name', 'node_id', 'unicode_version'] }),
  );
  const stored = new Map(rows.map(({ key, value }) => [key, String(value)]));
  const { serviceName, nodeId } = settings;
  refuseOthers({ name: stored.get('service_name') ?? serviceName, nodeId: stored.get('node_id') ?? nodeId }, settings);
  refuseOtherKeys(stored.get('unicode_version') ?? UNICODE_VERSION);
};

/** Returns the node that a store of any version belongs to; null for one that no node has started on. */
export const storedNodeId = async (store: FactStore): Promise<string | null> => {
  if (!(await store.tables()).includes(TABLE)) return null;
  const [row] = await store.read((snapshot) => snapshot.select(TABLE, { key: 'node_id' }));
  return row === undefined ? null : String(row['value']);
};

/** Refuses another name or id, because stored facts already carry them. */
const refuseOthers = (
  stored: { readonly name: string; readonly nodeId: string | undefined },
  settings: NodeIdentitySettings,
): void => {
  if (stored.name !== settings.serviceName) {
    throw new ServiceError(
      'conflict',
      `this store belongs to a service named ${stored.name}, not ${settings.serviceName}`,
      {
        hint: `start it with SVC_SERVICE_NAME=${stored.name}, or give the other service a store of its own`,
      },
    );
  }
  if (settings.nodeId !== undefined && stored.nodeId !== settings.nodeId) {
    throw new ServiceError('conflict', `this store belongs to the node ${stored.nodeId}, not ${settings.nodeId}`, {
      hint: 'leave SVC_NODE_ID out, or give the other node a store of its own',
    });
  }
};

/**
 * Refuses match keys of another version of Unicode. One name could then have two keys, and would count as two names.
 */
const refuseOtherKeys = (version: string): void => {
  if (version === UNICODE_VERSION) return;
  throw new ServiceError(
    'conflict',
    `the names in this store are compared by Unicode ${version}, and this program compares them by ${UNICODE_VERSION}`,
    {
      hint: 'run "fact-memory-node export" with the version of the program that wrote the store, and "fact-memory-node import" with this one',
    },
  );
};

/**
 * Returns the stored value of a key, after writing one if there is none. The transaction prevents two starts from both
 * writing.
 */
const keep = async (transaction: WriteTransaction, key: string, create: () => string): Promise<string> => {
  const [row] = await transaction.select(TABLE, { key });
  if (row !== undefined) return String(row['value']);
  const value = create();
  await transaction.insertRows(TABLE, [{ key, value }]);
  return value;
};
