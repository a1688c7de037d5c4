import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { StoredFact } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';
import { cidOf, madeFact, store } from './made-facts.ts';

const UNKNOWN = `sha256:${'0'.repeat(64)}`;

forEachStore('the provenance of a fact', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assert = async (entity: string, derived_from: unknown = [], changes: Record<string, unknown> = {}) => {
    const { status, body } = await node.request('POST', '/v1/facts', {
      key,
      body: factBody({ entity, derived_from, ...changes }),
    });
    expect(status).to.equal(201);
    return body as { id: string; cid: string; derived_from: string[]; entity: string };
  };
  const provenance = (id: string, as = key, query = '') =>
    node.request('GET', `/v1/facts/${id}/provenance${query}`, { key: as });
  const nodeOf = ({ cid, id, entity }: { id: string; cid: string; entity: string }) => ({
    hash: cid,
    fact_id: id,
    entity,
    exists: true,
  });

  it('shows which facts it was derived from, at every level', async () => {
    const a = await assert('user:a');
    const b = await assert('user:b', [{ fact_id: a.id }]);
    const c = await assert('user:c', [{ hash: b.cid }, UNKNOWN, 'f'.repeat(64)]);
    expect(c.derived_from).to.deep.equal([b.cid, UNKNOWN, `sha256:${'f'.repeat(64)}`]);
    const absent = c.derived_from.slice(1).map((hash) => ({ hash, exists: false }));
    const reply = await provenance(c.id);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({
      fact_id: c.id,
      root_fact_id: c.id,
      cid: c.cid,
      derived_from: [nodeOf(b), ...absent],
      nodes: [nodeOf(b), ...absent, nodeOf(a)],
      edges: [
        ...c.derived_from.map((source_hash) => ({ derived_fact_id: c.id, source_hash })),
        { derived_fact_id: b.id, source_hash: a.cid },
      ],
      depth_limit: 64,
      truncated: false,
    });
    expect((await provenance(a.id)).body).to.deep.include({ derived_from: [], nodes: [], edges: [], truncated: false });
  });

  it('accepts references by id, content id and bare digits, and resolves an id for callers who can read it', async () => {
    const hidden = await assert('user:hidden', [], { scope: 'company' });
    const digits = hidden.cid.slice(7).toUpperCase();
    const mixed = await assert('user:m', [hidden.cid, digits, { hash: digits }, { fact_id: 'x', hash: hidden.cid }]);
    expect(mixed.derived_from).to.deep.equal([hidden.cid, hidden.cid, hidden.cid, hidden.cid]);
    const narrow = await node.addKey({ scopes: ['public'] });
    const hash = createHash('sha256').update(hidden.id).digest('hex');
    const body = factBody({ scope: 'public', derived_from: [{ fact_id: hidden.id }] });
    const blind = await node.request('POST', '/v1/facts', { key: narrow, body });
    expect(blind.body.derived_from).to.deep.equal([`sha256:${hash}`]);
    expect((await assert('user:s', [{ fact_id: hidden.id }])).derived_from).to.deep.equal([hidden.cid]);
  });

  it('refuses a fact that derives from its own content', async () => {
    const { cid } = await assert('user:self');
    const body = factBody({ entity: 'user:self', derived_from: [cid] });
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect([reply.status, reply.body.code]).to.deep.equal([422, 'provenance_cycle_detected']);
  });

  it('shows hidden and unknown references alike, and nothing beyond them', async () => {
    const behind = await assert('user:behind', [], { scope: 'public' });
    const hidden = await assert('user:hidden', [behind.cid], { scope: 'company' });
    const seen = await assert('user:seen', [], { scope: 'public' });
    const inGarden = cidOf('in-garden');
    await store(node, [madeFact('in-garden', [behind.cid], { scope: 'public', gardenId: 'g' })]);
    const root = await assert('user:root', [seen.cid, hidden.cid, inGarden, UNKNOWN], { scope: 'public' });
    const narrow = await node.addKey({ permissions: ['read'], scopes: ['public'] });
    const { body, text } = await provenance(root.id, narrow);
    expect(body.derived_from).to.deep.equal([
      nodeOf(seen),
      { hash: hidden.cid, exists: false },
      { hash: inGarden, exists: false },
      { hash: UNKNOWN, exists: false },
    ]);
    expect(body.nodes).to.deep.equal(body.derived_from);
    expect(text).to.not.include(behind.cid).and.not.include(hidden.id);
    expect(text).to.include(`{"hash":"${hidden.cid}","exists":false}`);
    expect((await provenance(root.id)).body.nodes).to.deep.include(nodeOf(behind));
  });

  it('returns the same reply for a hidden fact as for an unknown one', async () => {
    const { id } = await assert('user:hidden', [], { scope: 'company' });
    const same = async (as: string, ids: string[], status: number, code: string) => {
      const bodies = await Promise.all(
        ids.map(async (root) => {
          const reply = await provenance(root, as);
          expect([reply.status, reply.body.code], root).to.deep.equal([status, code]);
          return { ...reply.body, instance: '', request_id: '' };
        }),
      );
      for (const body of bodies) expect(body).to.deep.equal(bodies[0]);
    };
    const unknown = [
      '00000000-0000-4000-8000-000000000000',
      id.toUpperCase(),
      `%7B${id}%7D`,
      `svc:fact:${id}`,
      '..%2Fx',
    ];
    const narrowAdmin = await node.addKey({ permissions: ['read', 'admin'], scopes: ['public', 'team', 'local'] });
    await same(narrowAdmin, [id, ...unknown], 403, 'authorization');
    await same(key, unknown, 403, 'authorization');
    const admin = await node.addKey({ permissions: ['read', 'admin'] });
    await same(admin, unknown, 404, 'lookup');
  });

  it('is limited by the requested depth', async () => {
    const a = await assert('user:a');
    const b = await assert('user:b', [a.cid]);
    const c = await assert('user:c', [b.cid]);
    const narrowed = await provenance(c.id, key, '?depth=1');
    expect(narrowed.body).to.deep.include({ nodes: [nodeOf(b)], depth_limit: 1, truncated: true });
    expect((await provenance(c.id, key, '?depth=2')).body).to.deep.include({ truncated: false, depth_limit: 2 });
    for (const depth of ['0', '65', '-1', 'x', '1.5', '']) {
      expect((await provenance(c.id, key, `?depth=${depth}`)).status, depth).to.equal(400);
    }
  });

  it('stays bounded for long chains, ladders and cycles', async function () {
    this.timeout(300_000);
    await store(node, [...chainOf(5000), ...ladderOf(30), ...cycleOf(3)]);
    const deep = (await provenance('chain-4999')).body;
    expect(deep.nodes).to.have.lengthOf(64);
    expect(deep.truncated).to.equal(true);
    const rungs = (await provenance('ladder-30-0')).body;
    expect(rungs.nodes).to.have.lengthOf(60);
    expect(rungs.edges).to.have.lengthOf(2 + 29 * 4);
    expect(rungs.truncated).to.equal(false);
    const ring = (await provenance('cycle-0')).body;
    expect(ring.nodes.map(({ fact_id }: { fact_id: string }) => fact_id)).to.deep.equal([
      'cycle-1',
      'cycle-2',
      'cycle-0',
    ]);
    expect(ring.edges).to.have.lengthOf(3);
  });

  it('shows at most 1000 facts, and no edge to a fact that it leaves out', async () => {
    const leaves = Array.from({ length: 15 }, (_, at) =>
      madeFact(
        `leaf-${at}`,
        Array.from({ length: 100 }, (_, leaf) => cidOf(`x-${at}-${leaf}`)),
      ),
    );
    await store(node, [
      madeFact(
        'wide',
        leaves.map(({ cid }) => cid),
      ),
      ...leaves,
    ]);
    const { body } = await provenance('wide');
    expect(body.nodes).to.have.lengthOf(1000);
    expect(body.truncated).to.equal(true);
    const hashes = new Set(body.nodes.map(({ hash }: { hash: string }) => hash));
    for (const { source_hash } of body.edges) expect(hashes.has(source_hash)).to.equal(true);
  });

  it('uses the newest of hundreds of facts with one content id, and still finds other references', async () => {
    const shared = Array.from({ length: 300 }, (_, at) => ({ ...madeFact(`shared-${at}`, []), cid: cidOf('shared') }));
    const lonely = madeFact('lonely', []);
    await store(node, [lonely, ...shared, madeFact('both', [cidOf('shared'), lonely.cid])]);
    const { body } = await provenance('both');
    expect(body.nodes.map(({ fact_id }: { fact_id: string }) => fact_id)).to.deep.equal(['shared-299', 'lonely']);
  });

  it('agrees with a simple walk along references on random graphs', async function () {
    this.timeout(300_000);
    let round = 0;
    const graph = fc.array(fc.array(fc.nat(7), { maxLength: 4 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(graph, async (links) => {
        round += 1;
        const name = (at: number) => `g${round}-${at % links.length}`;
        await store(
          node,
          links.map((targets, at) =>
            madeFact(
              name(at),
              targets.map((to) => cidOf(name(to))),
            ),
          ),
        );
        const reached = new Set<string>();
        const visit = (at: number): void => {
          for (const to of links[at % links.length] ?? []) {
            if (reached.has(name(to))) continue;
            reached.add(name(to));
            visit(to);
          }
        };
        visit(0);
        const { body } = await provenance(name(0));
        const found = body.nodes.map(({ fact_id }: { fact_id: string }) => fact_id);
        expect(new Set(found)).to.deep.equal(reached);
        expect(found).to.have.lengthOf(reached.size);
      }),
      { numRuns: RUNS },
    );
  });
});

const chainOf = (length: number): StoredFact[] =>
  Array.from({ length }, (_, at) => madeFact(`chain-${at}`, at === 0 ? [] : [cidOf(`chain-${at - 1}`)]));

/** Builds a ladder. Each rung has two facts, both derived from both facts of the rung below, which gives 2^30 paths. */
const ladderOf = (rungs: number): StoredFact[] =>
  Array.from({ length: rungs + 1 }, (_, rung) =>
    [0, 1].map((side) =>
      madeFact(
        `ladder-${rung}-${side}`,
        rung === 0 ? [] : [cidOf(`ladder-${rung - 1}-0`), cidOf(`ladder-${rung - 1}-1`)],
      ),
    ),
  ).flat();

const cycleOf = (length: number): StoredFact[] =>
  Array.from({ length }, (_, at) => madeFact(`cycle-${at}`, [cidOf(`cycle-${(at + 1) % length}`)]));
