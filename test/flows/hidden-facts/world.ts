import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Authorizer, Embedder, GardenAccess, type Random, SCOPES, type Scope } from '../../../kernel/plugin-api.ts';
import { isContradicted } from '../../../plugins/conflicts/conflicts-api.ts';
import { SearchIndex } from '../../../plugins/search/search-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { findNear } from '../../contract/search-index/ask-index.ts';
import { openGardens } from '../../fakes/open-gardens.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { Op } from './stories.ts';

const PLUGINS = [
  'audit',
  'keys',
  'multi-tenant',
  'facts',
  'conflicts',
  'fact-chain',
  'source-trust',
  'graph',
  'cards',
  'recall',
  'search',
  'node-info',
  'tombstones',
];
export const OUR_GARDEN = '6f1f6d5e-0000-4000-8000-000000000001';
const THEIR_GARDEN = '6f1f6d5e-0000-4000-8000-000000000002';
const GARDENS: readonly string[] = [OUR_GARDEN, THEIR_GARDEN];
/** Places of hidden facts: scopes that the key of the caller lacks, a garden that it may not enter, another tenant. */
export const HIDDEN_PLACES = ['company', 'public', THEIR_GARDEN, 'other-tenant'] as const;
const FLUSH_MS = 600_000;
/** Longer than the pauses of the worker while facts keep arriving. */
const RESTS_MS = 150_000;
export type HiddenPlace = (typeof HIDDEN_PLACES)[number];
/** The place of facts that the caller may see until a tombstone hides their entity from everybody. */
export const ENTOMBED = 'entombed';

const doors = defineOwnPlugin({
  name: 'garden-doors',
  provides: [GardenAccess],
  setup: ({ provide }) =>
    provide(
      GardenAccess,
      openGardens((entityUri) => (entityUri === 'agent:reader' ? [OUR_GARDEN] : GARDENS)),
    ),
});

/** A node with a caller who sees some facts, and others who see the rest. */
export interface World {
  /** The ids of the visible facts, in assertion order. */
  readonly visibleIds: readonly string[];
  /** Asserts a fact that the caller may see, and returns the reply. */
  say(op: Op): Promise<string>;
  /** Stores a fact that the caller may not see. */
  hide(op: Op): Promise<void>;
  /** Recalls only the hidden facts of a place as another caller, and returns their number. */
  recallHidden(place: HiddenPlace): Promise<number>;
  /** Returns status, relevant headers and body. */
  read(method: string, path: string, body?: object): Promise<string>;
  /** Returns all pages of a list. */
  pages(path: string): Promise<string[]>;
  /** Returns the text without parts that differ from node to node. */
  mask(text: string): string;
  pass(ms: number): Promise<void>;
  /** Advances time until all earlier recalls are counted. */
  countRecalls(): Promise<void>;
  /** Waits until all facts have vectors. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export const startWorld = async (): Promise<World> => {
  const random = createSwitchedRandom();
  const node = await startTestNode({
    plugins: [...PLUGINS, doors],
    env: { SVC_MULTI_TENANT_ENABLED: 'true', SVC_TOMBSTONES_ENABLED: 'true' },
    random,
  });
  const reader = await node.addKey({ entityUri: 'agent:reader', scopes: ['local', 'team'] });
  const keeper = await node.addKey({ entityUri: 'agent:keeper' });
  const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['admin'] });
  const foreigner = await node.addKey({ entityUri: 'agent:foreigner', tenantId: 'other-tenant' });
  const names = new Map<string, string>();
  const visibleIds: string[] = [];
  let entombed = 0;

  const store = async (op: Op, key: string): Promise<string> => {
    const value = op.ref === null ? { type: 'text', v: op.text } : { type: 'ref', v: op.ref };
    const { entity, relation, confidence, session, place } = op;
    const scope = ['company', 'public', 'team'].includes(place) ? place : 'local';
    const body = { entity, relation, value, source: 'agent:s', confidence, scope };
    const headers = session === null ? {} : { 'Svc-Session': session };
    if (GARDENS.includes(place)) return JSON.stringify(await plant(node, op, key));
    const reply = await node.request('POST', '/v1/facts', { key, body, headers });
    expect(reply.status, reply.text).to.equal(201);
    return reply.text;
  };
  const read: World['read'] = async (method, path, body) => {
    const { status, text, headers } = await node.request(method, path, { key: reader, ...(body && { body }) });
    return `${status} ${headers['x-total-count'] ?? '-'} ${text}`;
  };
  return {
    visibleIds,
    async say(op) {
      const told = await random.duringOwn(() => store(op, reader));
      const { id, cid } = JSON.parse(told) as { id: string; cid: string };
      if (!names.has(id)) {
        visibleIds.push(id);
        names.set(id, `<fact ${visibleIds.length}>`);
        names.set(cid, `<content of ${visibleIds.length}>`);
        names.set(createHash('sha256').update(id).digest('hex'), `<hash of ${visibleIds.length}>`);
      }
      return told;
    },
    async hide(op) {
      if (op.place !== ENTOMBED) return void (await store(op, op.place === 'other-tenant' ? foreigner : keeper));
      entombed += 1;
      const entity = `user:gone-${entombed}`;
      await store({ ...op, entity }, keeper);
      const reply = await node.request('POST', '/v1/tombstones', { key: admin, body: { entity_uri: entity } });
      expect(reply.status, reply.text).to.equal(201);
    },
    async recallHidden(place) {
      const scope = place === 'other-tenant' ? 'global' : place;
      const body = {
        query: 'harbour lantern orchard violin glacier quiet',
        token_budget: 9_000,
        scope,
        include_contradicted: true,
      };
      const key = place === 'other-tenant' ? foreigner : keeper;
      const reply = await node.request('POST', '/v1/recall', { key, body });
      expect(reply.status, reply.text).to.equal(200);
      return reply.body.total_scored;
    },
    read,
    async pages(path) {
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const reply: string = await read('GET', cursor === '' ? path : `${path}&cursor=${cursor}`);
        pages.push(reply);
        cursor = (JSON.parse(reply.slice(reply.indexOf('{'))) as { cursor: string | null }).cursor;
      }
      return pages;
    },
    mask: (text) =>
      text
        .replaceAll(/sha256:[0-9a-f]{64}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (found) => {
          return names.get(found) ?? (found.length === 64 ? found : '<other>');
        })
        // A card lists its sources in the order of their content ids.
        .replaceAll(/"derived_from":\[[^\]]*\]/g, (list) =>
          list
            .split(/[[\],]/)
            .sort()
            .join(' '),
        )
        .replaceAll(/"hlc":"[0-9.]+"/g, '"hlc":"<stamp>"')
        .replaceAll(/"(next_)?cursor":"[^"]+"/g, '"cursor":"<cursor>"'),
    pass: (ms) => node.clock.advance(ms),
    countRecalls: () => passSlowly(node, FLUSH_MS),
    settle: () => settle(node, visibleIds.at(-1)),
    stop: () => node.stop(),
  };
};

/**
 * A random source in which each fact of the caller has its own draws. Identifiers break exact ties, so the identifiers
 * of the caller must not depend on other facts.
 */
const createSwitchedRandom = (): Random & { duringOwn<T>(work: () => Promise<T>): Promise<T> } => {
  const others = createSeededRandom();
  let current = others;
  let turn = 0;
  return {
    bytes: (length) => current.bytes(length),
    fraction: () => current.fraction(),
    uuid: () => current.uuid(),
    async duringOwn(work) {
      turn += 1;
      current = createSeededRandom(OWN_DRAWS + turn);
      try {
        return await work();
      } finally {
        current = others;
      }
    },
  };
};

/** The seeds of the caller's facts begin here, far from all others. */
const OWN_DRAWS = 1_000_000;

/** Puts a fact into a garden, as the plugin of gardens would. */
const plant = async (node: TestNode, op: Op, key: string) => {
  const caller = await node.kernel.get(Authorizer).authenticate(key);
  const { entity, relation, confidence, session } = op;
  const draft = {
    entity,
    relation,
    confidence,
    value: {
      type: op.ref === null ? ('text' as const) : ('ref' as const),
      v: op.ref ?? op.text,
      interpretAs: 'content' as const,
    },
    source: 'agent:s',
    scope: 'local' as Scope,
    gardenId: op.place,
    sessionId: session,
  };
  const { view } = await node.facts.append(draft, caller);
  return { id: view.fact.id, cid: view.fact.cid, contradicted: isContradicted(view) };
};

/** Advances time only as fast as the store can follow, because leases would otherwise expire. */
const passSlowly = async (node: TestNode, ms: number): Promise<void> => {
  const store = node.kernel.get(FactStore);
  for (let passed = 0; passed < ms; passed += 5_000) {
    await node.clock.advance(5_000);
    await store.write('default', async () => {});
  }
  for (let turn = 0; turn < 10; turn += 1) await store.write('default', async () => {});
};

const settle = async (node: TestNode, last: string | undefined): Promise<void> => {
  const store = node.kernel.get(FactStore);
  const index = node.kernel.get(SearchIndex);
  const { dimensions } = node.kernel.get(Embedder);
  const anything = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  const everything = { tenantId: 'default', scopes: SCOPES, gardens: 'all', nowMs: 0, minConfidence: 0 } as const;
  await passSlowly(node, RESTS_MS);
  await comesTrue(async () => {
    // Ends pauses of the worker that are over.
    await node.clock.advance(0);
    const [row] = await store.table('search_embedders').select('feed_wall', 'feed_ctr');
    const head = await store.read((snapshot) => snapshot.head());
    if (Number(row?.feed_wall) !== head?.wallMs || Number(row?.feed_ctr) !== head?.counter) return false;
    const found = await findNear(index, anything, -1, everything, 10_000);
    return last === undefined || found.some(({ id }) => id === last);
  });
};
