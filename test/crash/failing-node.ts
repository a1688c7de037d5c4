import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import { createNode } from '../../config/create-node.ts';
import { NodeSelf, nodePrincipal, SCOPES } from '../../kernel/plugin-api.ts';
import { KeyRegistry } from '../../plugins/keys/keys-api.ts';
import { createFaultingStore, FaultPlan } from '../fakes/faulting-store.ts';
import { createLoopbackNetwork } from '../fakes/loopback-network.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../fakes/memory-logger.ts';
import { quietBilling } from '../fakes/quiet-billing.ts';
import { createQuietStore } from '../fakes/quiet-store.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { ALL_PERMISSIONS } from '../kit/all-permissions.ts';
import { createTestRequest, type TestReply } from '../kit/test-request.ts';

const URL = 'http://localhost:8765';
const KEY = 'failing-node-0123456789abcdef0123456789';
/** The time between attempts, longer than any cache of keys lasts, so that each attempt queries the store again. */
const BETWEEN_ATTEMPTS_MS = 5_000;
/** Tables that background work changes, not requests. */
const BACKGROUND_TABLES = new Set(['billing_positions', 'search_embedders', 'search_vectors']);

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** A node with the default plugins, whose store fails on request of the test. */
export interface FailingNode {
  readonly plan: FaultPlan;
  readonly logLines: readonly LogLine[];
  send(method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestReply>;
  counts(): Promise<RowCounts>;
  /** Lets the caches of keys expire, and runs background work. */
  letTimePass(): Promise<void>;
  stop(): Promise<void>;
}

export const startFailingNode = async (writer: 'inline' | 'thread'): Promise<FailingNode> => {
  const folder = await mkdtemp(join(tmpdir(), 'node-'));
  const plan = new FaultPlan();
  const store = createSqliteStore({ path: join(folder, 'node.db'), writer });
  const { store: faulting, quiet } = createQuietStore(createFaultingStore(store, plan));
  const clock = createManualClock();
  const network = createLoopbackNetwork();
  const logLines: LogLine[] = [];
  const node = await createNode({
    env: {},
    // The data folder, with the key of the node, is that of the store.
    overrides: { node: { url: URL }, adapters: { store: { path: join(folder, 'node.db') } } },
    adapters: {
      clock,
      random: createSeededRandom(),
      log: createMemoryLogger(logLines),
      transport: network.transport(URL),
      store: () => faulting,
      extras: [quietBilling],
    },
  });
  await node.start();
  const registration = { rawKey: KEY, entityUri: 'agent:test', permissions: ALL_PERMISSIONS, allowedScopes: SCOPES };
  await node.kernel.get(KeyRegistry).register(nodePrincipal(node.kernel.get(NodeSelf).names), registration);
  const request = createTestRequest(network, URL);
  const tables = (await store.tables()).filter((table) => !BACKGROUND_TABLES.has(table));
  const reader = new DatabaseSync(join(folder, 'node.db'), { readOnly: true });
  const counting = reader.prepare(`SELECT ${tables.map((name) => `(SELECT count(*) FROM "${name}") AS "${name}"`)}`);
  return {
    plan,
    logLines,
    send: (method, target, body, headers = {}) =>
      request(method, target, { key: KEY, headers, ...(body === undefined ? {} : { body }) }),
    // One prepared statement on a connection of its own, because a test counts a thousand times.
    counts: async () => ({ ...(counting.get() as RowCounts) }),
    letTimePass: async () => {
      await clock.advance(BETWEEN_ATTEMPTS_MS);
      await quiet();
    },
    stop: async () => {
      plan.disarm();
      reader.close();
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
