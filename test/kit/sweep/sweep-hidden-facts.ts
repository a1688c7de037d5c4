import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { READING_ROUTES, type Seen } from '../../plugins/gardens/reading-routes.ts';
import { comesTrue } from '../comes-true.ts';
import { forEachStore } from '../for-each-store.ts';
import type { TestNode } from '../start-test-node.ts';
import type { RequestOptions, TestReply } from '../test-request.ts';

/** A node on which a stranger reads while others store facts that are hidden from it. */
export interface SweepNode {
  readonly node: TestNode;
  /** Sends a request. The stranger may read and write; the operator is an admin of its tenant. */
  ask(actor: 'stranger' | 'operator', method: string, target: string, options?: RequestOptions): Promise<TestReply>;
  /** Sends a request, and rejects if the status differs from the expected one. */
  must(
    status: number,
    actor: 'stranger' | 'operator',
    method: string,
    target: string,
    body?: unknown,
  ): Promise<TestReply>;
  stop(): Promise<void>;
}

/** A fact of the story, as the stranger received it. */
export type Told = Pick<Seen, 'cid'> & { readonly id: string };

/** One way to hide facts from the stranger. */
export interface Hiding<N extends SweepNode> {
  /** Starts a node with all participants; both nodes start identically. */
  start(): Promise<N>;
  /** Hides facts on one of the nodes after the first half of the story. Returns the number of hidden facts. */
  hide(node: N, told: readonly Told[]): Promise<number>;
  /** Hides more facts on the same node after the second half. */
  hideMore?(node: N, told: readonly Told[]): Promise<void>;
  /** Sends a request as a caller who sees both the hidden facts and those of the stranger. */
  askAsInsider?(node: N, method: string, target: string, options: RequestOptions): Promise<TestReply>;
  /** Fails unless the hidden facts are visible to permitted callers. */
  areThere(node: N): Promise<void>;
}

/**
 * Matches values that always differ between two nodes with the same history: random ids, stamps, cursors, other tokens,
 * and exact times.
 */
const VOLATILE = /"(?:hlc|cursor|next_cursor|confirm|detail_salt)":"[^"]*"|\b(?:cursor |confirm=)[\w-]{20,}/g;
const ID = /sha256:[0-9a-f]{64}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const LATER_MS = Date.UTC(2026, 2, 3);

interface World<N extends SweepNode> {
  readonly place: N;
  /** Returns all replies to the stranger, route by route, without volatile parts. */
  look(where?: RegExp): Promise<Map<string, string>>;
  /** Calls `visit` for every read of every route whose target matches. */
  visitReads(where: RegExp, visit: (read: Read) => Promise<void>): Promise<void>;
}

interface Read {
  readonly method: string;
  readonly target: string;
  /** The request options, including the body if any. */
  readonly options: RequestOptions;
}

const EVERYWHERE = /^/;
/**
 * Routes that find facts and may cache results for later callers. Cards are excluded, because reading a card writes it.
 */
const FINDS = /^\/v1\/(?:recall|facts|graph|history|synthesis|conflicts)/;

/** Lists in the order of random identifiers, which differs between the nodes. */
const FACT_IDS = /(?<="fact_ids":\[)[^\]]*/g;

const sortNames = (list: string): string => list.split(',').sort().join(',');

/** Runs the same story for the stranger, either with nothing hidden or with fifty hidden facts between its parts. */
const tell = async <N extends SweepNode>(hiding: Hiding<N>, hides: boolean): Promise<World<N>> => {
  const place = await hiding.start();
  const names = new Map<string, string>();
  const seen: { id: string; cid: string }[] = [];
  const say = async (members: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) => {
    await place.node.clock.advance(5);
    const body = { source: 'agent:s', scope: 'company', ...members };
    const reply = await place.ask('stranger', 'POST', '/v1/facts', { body, headers });
    expect(reply.status, reply.text).to.equal(201);
    const { id, cid } = reply.body;
    seen.push({ id, cid });
    names.set(cid, `<content ${seen.length}>`);
    names.set(id, `<fact ${seen.length}>`);
    names.set(createHash('sha256').update(id).digest('hex'), `<hash ${seen.length}>`);
    return reply.body as { id: string; cid: string };
  };
  const text = (v: string) => ({ type: 'text', v });
  const ref = (v: string) => ({ type: 'ref', v });
  await place.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'own', name: 'Own' });
  await say({ entity: 'user:alice', relation: 'memory:role', value: { type: 'string', v: 'archivist' } });
  await say({ entity: 'user:alice', relation: 'memory:home', value: text('a harbour with a quiet lantern') });
  await say({ entity: 'user:alice', relation: 'rel:knows', value: ref('user:bob') });
  await say({ entity: 'user:bob', relation: 'memory:role', value: { type: 'string', v: 'sailor' } });
  for (const v of ['the voyage began at the harbour', 'the lantern went out', 'lavender in the hold']) {
    await say({ entity: 'ship:log', relation: 'memory:note', value: text(v) }, { 'Svc-Session': 'voyage' });
  }
  if (hides) expect(await hiding.hide(place, seen)).to.be.at.least(50);
  await say({ entity: 'user:alice', relation: 'memory:role', value: { type: 'string', v: 'harbour master' } });
  await say({ entity: 'user:bob', relation: 'rel:knows', value: ref('user:carol') });
  await say({ entity: 'user:carol', relation: 'memory:note', value: text('carol keeps lavender') });
  const derived = await say({
    entity: 'doc:sum',
    relation: 'memory:sum',
    value: text('of the voyage'),
    derived_from: seen.slice(0, 3).map(({ cid }) => cid),
  });
  await say({ entity: 'user:carol', relation: 'memory:note', value: text('carol keeps thyme') });
  await say({ entity: 'user:carol', relation: 'memory:note', value: { type: 'null' }, confidence: 0 });
  await say({ entity: 'user:alice', relation: 'memory:mine', value: text('my own lantern'), garden_id: 'own' });
  const first = seen[0] as { id: string; cid: string };
  if (hides) await hiding.hideMore?.(place, seen);
  await settle(place);

  const mask = (body: string): string => {
    const here = new Map<string, string>();
    return body
      .replaceAll(ID, (found) => {
        const name = names.get(found);
        if (name !== undefined) return name;
        // Facts that the node asserts about facts with random ids have different content on each node.
        if (found.startsWith('sha256:')) return '<content>';
        if (found.length !== 36) return found;
        // Ids are numbered by first appearance, so that unequal ids which should be equal are noticed.
        if (!here.has(found)) here.set(found, `<id ${here.size + 1}>`);
        return here.get(found) ?? found;
      })
      .replaceAll(FACT_IDS, sortNames)
      .replaceAll(VOLATILE, '<volatile>');
  };
  const visitReads: World<N>['visitReads'] = async (where, visit) => {
    const seenOf = { factId: first.id, cid: first.cid, derivedId: derived.id };
    const { routes } = await place.node.node.describe();
    for (const route of routes.map(({ method, path }) => `${method} ${path}`).sort()) {
      const reads = READING_ROUTES[route];
      if (typeof reads !== 'function') continue;
      const [method = ''] = route.split(' ');
      for (const [target, body] of reads(seenOf)) {
        const options = { headers: { 'X-Request-Id': 'same' }, ...(body === undefined ? {} : { body }) };
        if (where.test(target)) await visit({ method, target, options });
      }
    }
  };
  const look = async (where = EVERYWHERE) => {
    const told = new Map<string, string>();
    await visitReads(where, async ({ method, target, options }) => {
      await place.node.clock.advance(5);
      const reply = await place.ask('stranger', method, target, options);
      const counted = reply.headers['x-total-count'] ?? '-';
      const read = mask(`${method} ${target} ${JSON.stringify(options.body)}`);
      told.set(read, `${reply.status} ${counted} ${mask(reply.text)}`);
    });
    return told;
  };
  return { place, look, visitReads };
};

/** Waits until every fact has its vector. */
const settle = async ({ node, ask }: SweepNode): Promise<void> => {
  const store = node.kernel.get(FactStore);
  await comesTrue(async () => {
    await node.clock.advance(100);
    const [row] = await store.table('search_embedders').where({ state: 'complete' }).select('feed_wall', 'feed_ctr');
    const head = await store.read((snapshot) => snapshot.head());
    return Number(row?.feed_wall) === head?.wallMs && Number(row?.feed_ctr) === head?.counter;
  });
  // The duration of the wait must not differ between the nodes.
  node.clock.setNowMs(LATER_MS);
  const body = { query: 'nothing of the kind', token_budget: 100, weights: { vector: 1 } };
  for (let turn = 0; turn < 5; turn += 1) await ask('operator', 'POST', '/v1/recall', { body });
};

/**
 * Compares two nodes with the same history, on one of which fifty facts are hidden from the stranger. The stranger must
 * not find a difference on any registered route.
 */
export const sweepHiddenFacts = <N extends SweepNode>(title: string, hiding: Hiding<N>): void => {
  forEachStore(title, () => {
    let plain: World<N>;
    let haunted: World<N>;
    before(async () => {
      plain = await tell(hiding, false);
      haunted = await tell(hiding, true);
    });
    after(async () => {
      await plain?.place.stop();
      await haunted?.place.stop();
    });

    it('are requested on every registered route', async () => {
      const { routes } = await plain.place.node.node.describe();
      const all = routes.map(({ method, path }) => `${method} ${path}`);
      expect(all.filter((route) => !(route in READING_ROUTES))).to.deep.equal([]);
    });

    const compare = async (least: number, where?: RegExp) => {
      const without = await plain.look(where);
      const withThem = await haunted.look(where);
      expect([...withThem.keys()]).to.deep.equal([...without.keys()]);
      const changed = [...without].filter(([read, reply]) => withThem.get(read) !== reply);
      const differences = changed.map(([read, reply]) => `${read}\n  ${reply}\n  ${withThem.get(read)}`);
      expect(differences.join('\n')).to.equal('');
      expect([...without.values()].filter((reply) => reply.startsWith('200')).length).to.be.above(least);
    };

    it('change no byte of any answer to a stranger', () => compare(50));

    const { askAsInsider } = hiding;
    if (askAsInsider !== undefined) {
      it('change no answer either when a permitted caller has just read everything', async () => {
        const answers: string[] = [];
        for (const { place, visitReads } of [plain, haunted]) {
          await visitReads(FINDS, async ({ method, target, options }) => {
            const { status, text } = await askAsInsider(place, method, target, options);
            if (place === haunted.place && status === 200) answers.push(text);
          });
        }
        expect(
          answers.filter((text) => text.includes('lavender 4')),
          'answers that show them',
        ).not.to.deep.equal([]);
        await compare(30, FINDS);
      });
    }

    it('are visible to permitted callers', () => hiding.areThere(haunted.place));
  });
};
