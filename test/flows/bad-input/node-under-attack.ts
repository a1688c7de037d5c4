import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNode } from '../../../config/create-node.ts';
import { ErrorCodes, Permissions, type Principal, SCOPES, Vocabulary } from '../../../kernel/plugin-api.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { currentStore } from '../../kit/for-each-store.ts';
import { TRUSTS_TEST } from '../../kit/next-client.ts';
import { placeTestStore } from '../../kit/test-store.ts';
import type { Keys } from './hostile-requests.ts';
import type { ErrorCodeSet } from './judge-reply.ts';
import { exchange } from './raw-exchange.ts';
import type { Fixtures } from './route-row.ts';

/** Row counts that a refused request must not change. Audit entries are excluded, because refusals may add some. */
export interface Counts {
  readonly facts: number;
  readonly conflicts: number;
  readonly bills: number;
  readonly keys: number;
  readonly tokens: number;
}

export interface NodeUnderAttack {
  readonly port: number;
  readonly keys: Keys;
  readonly fixtures: Fixtures;
  /** Every registered route, as `METHOD path-pattern`. */
  readonly routes: readonly string[];
  /** Ids of the error codes that the node declares. */
  readonly errorCodes: ErrorCodeSet;
  readonly logLines: readonly LogLine[];
  /** Counts the rows again if the store has changed since the last call. */
  counts(): Promise<Counts>;
  stop(): Promise<void>;
}

/** An unreachable identity provider. The node contacts it only for well-formed tokens. */
const NOWHERE = { enabled: true, issuerUrl: 'http://127.0.0.1:9', audience: 'nobody' };

const EVERYTHING = 'agent:everything';

const OPERATOR: Principal = {
  kind: 'node',
  entityUri: 'system:test',
  permissions: new Set(),
  allowedScopes: new Set(SCOPES),
  tenantId: 'default',
  keyId: null,
  oidcSub: null,
};

const registerKeys = async (registry: KeyRegistry, all: readonly string[]): Promise<Keys> => {
  const register = async (entityUri: string, permissions: readonly string[]) => {
    const rawKey = randomBytes(32).toString('hex');
    await registry.register(OPERATOR, { rawKey, entityUri, permissions, allowedScopes: SCOPES });
    return rawKey;
  };
  const only = new Map<string, string>();
  for (const permission of all) only.set(permission, await register(`agent:only-${permission}`, [permission]));
  return { all: await register(EVERYTHING, all), only };
};

/**
 * Stores facts, some of them contradictory, for paths that name a fact or a conflict, and for lists of several pages.
 */
const makeFixtures = async (port: number, key: string): Promise<Fixtures> => {
  const headers = [
    ['Authorization', `Bearer ${key}`],
    ['Content-Type', 'application/json'],
  ] as const;
  const assert = async (
    entity: string,
    v: string,
    relation = 'memory:role',
    type = 'string',
  ): Promise<{ id: string; cid: string }> => {
    const body = Buffer.from(JSON.stringify({ entity, relation, value: { type, v }, source: 'agent:a' }));
    const { text } = await exchange(port, { method: 'POST', target: '/v1/facts', headers, body });
    return JSON.parse(text) as { id: string; cid: string };
  };
  const { id, cid } = await assert('user:a', 'first');
  for (const [at, entity] of ['user:a', 'user:b', 'user:b', 'user:c'].entries()) await assert(entity, `value ${at}`);
  await assert('project:a', 'open', 'memory:status');
  for (const friend of ['user:b', 'user:c']) await assert('user:a', friend, `rel:${friend}`, 'ref');
  const { text } = await exchange(port, { method: 'GET', target: '/v1/conflicts', headers });
  const [conflict] = (JSON.parse(text) as { conflicts: { conflict_id: string }[] }).conflicts;
  return { factId: id, cid, conflictId: conflict?.conflict_id ?? 'none' };
};

/** Adds jobs of a type without a worker, for a list of several pages. */
const addJobs = async (jobs: JobQueue): Promise<void> => {
  const request = { type: 'test.nobody', tenantId: 'default', creator: EVERYTHING };
  for (let count = 0; count < 2; count += 1) await jobs.enqueue(request);
};

/** Starts a node with the default plugins on a real store and real sockets, in this process. */
export const startNodeUnderAttack = async (): Promise<NodeUnderAttack> => {
  const folder = await mkdtemp(join(tmpdir(), 'node-'));
  const logLines: LogLine[] = [];
  const store = await placeTestStore(currentStore(), folder);
  const watched = createWatch();
  const node = await createNode({
    env: { SVC_MULTI_TENANT_ENABLED: 'true' },
    inspectReplies: checkReplies,
    overrides: {
      node: TRUSTS_TEST,
      adapters: { store: store.settings, transport: { port: 0 } },
      plugins: { oidc: NOWHERE },
    },
    adapters: {
      log: createMemoryLogger(logLines),
      store: async () => watched.watch(store.open()),
      extras: [quietBilling],
    },
  });
  const stop = async (): Promise<void> => {
    await node.stop();
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { url } = await node.start();
    const port = Number(new URL(url).port);
    const vocabulary = node.kernel.get(Vocabulary);
    const permissions = vocabulary.words(Permissions).map(({ id }) => id);
    const keys = await registerKeys(node.kernel.get(KeyRegistry), permissions);
    const fixtures = await makeFixtures(port, keys.all);
    await addJobs(node.kernel.get(JobQueue));
    const { routes } = await node.describe();
    return {
      port,
      keys,
      fixtures,
      routes: routes.map(({ method, path }) => `${method} ${path}`),
      errorCodes: new Set(vocabulary.words(ErrorCodes).map(({ id }) => id)),
      logLines,
      counts: () => watched.countOnChange(() => countRows(node.kernel.get(FactStore))),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

/**
 * Watches a store for changes. Most refused requests never reach the store, and a count of its rows costs as much as a
 * request.
 */
const createWatch = () => {
  let counted: Promise<Counts> | undefined;
  const forget = (): void => {
    counted = undefined;
  };
  return {
    watch: <T extends FactStore>(store: T): T =>
      new Proxy(store, {
        get(_, name) {
          const member = Reflect.get(store, name);
          if (typeof member !== 'function') return member;
          if (name === 'read') return member.bind(store);
          return (...args: unknown[]) => {
            const result = member.apply(store, args);
            if (name === 'table') return result.on('query-response', forget);
            return result instanceof Promise ? result.finally(forget) : result;
          };
        },
      }),
    countOnChange: (count: () => Promise<Counts>): Promise<Counts> => {
      counted ??= count();
      return counted;
    },
  };
};

const countRows = (store: FactStore): Promise<Counts> =>
  store.read(async (snapshot) => {
    const count = (table: string, where: Record<string, string> = {}) =>
      snapshot.table(table).where(where).count({ n: '*' });
    // One statement, because the counts follow every request.
    const [row] = (await snapshot
      .table('node_clock')
      .limit(1)
      .select({
        facts: count('facts'),
        records: count('conflicts_records'),
        members: count('conflicts_members'),
        bills: count('facts', { tags: ',billing,' }),
        gardens: count('billing_gardens'),
        apiKeys: count('keys_api_keys'),
        agentKeys: count('keys_agent_keys'),
        tokens: count('capability_tokens_issued'),
      })) as Record<string, number>[];
    const sum = (...names: string[]): number => names.reduce((total, name) => total + Number(row?.[name]), 0);
    return {
      facts: sum('facts'),
      conflicts: sum('records', 'members'),
      bills: sum('bills', 'gardens'),
      keys: sum('apiKeys', 'agentKeys'),
      tokens: sum('tokens'),
    };
  });
