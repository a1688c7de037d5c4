import { expect } from 'chai';
import fc from 'fast-check';
import { definePlugin, factAppended, KERNEL_API } from '../../../../kernel/plugin-api.ts';
import { createStoreCounter } from '../../../fakes/counting-store.ts';
import { createFaultingStore, FAULT_KINDS, FaultPlan } from '../../../fakes/faulting-store.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../../kit/start-test-node.ts';
import { createStand, type IngestStand, peerFact, standPlugin } from '../ingest-stand.ts';

/** A plugin that throws for any fact about `user:poison`. */
const choosyPlugin = definePlugin({
  name: 'choosy',
  version: '0.0.0',
  kernelApi: KERNEL_API,
  setup({ on }) {
    on(factAppended, ({ facts }) => {
      if (facts.some(({ fact }) => fact.entity === 'user:poison')) throw new TypeError('cannot bear this');
    });
  },
});

interface Side {
  readonly node: TestNode;
  readonly stand: IngestStand;
  readonly key: string;
}

forEachStore('a page of facts from a peer', () => {
  const sides: Side[] = [];
  afterEach(() => Promise.all(sides.splice(0).map(({ node }) => node.stop())));

  const start = async (options: TestNodeOptions = {}): Promise<Side> => {
    const stand = createStand();
    const node = await startTestNode({
      plugins: ['keys', 'audit', 'facts', 'conflicts', 'graph', standPlugin(stand)],
      settings: { federation: { enabled: true } },
      ...options,
    });
    const side = { node, stand, key: await node.addKey({ permissions: ['read', 'write', 'admin'] }) };
    sides.push(side);
    return side;
  };
  const push = ({ node }: Side, facts: readonly unknown[]) =>
    node.request('POST', '/v1/federation/facts/push', { key: 'peer', body: { facts } });
  const total = async ({ node, key }: Side, query: string): Promise<number> =>
    (await node.request('GET', `/v1/facts?${query}&limit=1`, { key })).body.total;
  const received = (side: Side) => total(side, 'relation=svc:received_from');
  const factsFrom = (from: number, count: number) => Array.from({ length: count }, (_, at) => peerFact(from + at));

  it('takes at most six statements more for 500 facts than for 50', async () => {
    const counter = createStoreCounter();
    const side = await start({ wrapStore: counter.count });
    await push(side, factsFrom(0, 5));
    const few = await counter.during(() => push(side, factsFrom(1_000, 50)));
    const many = await counter.during(() => push(side, factsFrom(2_000, 500)));
    const known = await counter.during(() => push(side, factsFrom(2_000, 500)));
    expect(await received(side)).to.equal(555);
    expect(many.statements, JSON.stringify({ few, many, known })).to.be.at.most(few.statements + 6);
    expect(known.statements, 'usage, known ids, and known ids at origins').to.be.at.most(3);
  });

  it('is stored except for a fact that makes a plugin throw', async () => {
    const side = await start({ extra: [choosyPlugin] });
    const facts = factsFrom(0, 40);
    const poison = peerFact(100, { entity: 'user:poison' });
    const reply = await push(side, [...facts.slice(0, 17), poison, ...facts.slice(17)]);
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body).to.deep.equal({
      accepted: 40,
      rejected: 1,
      errors: [{ fact_id: poison.id, error: 'ingest_error' }],
    });
    expect([await total(side, 'source=agent:of-p'), await received(side)]).to.deep.equal([40, 40]);
    const { peering } = side.stand;
    const page = { facts: [poison], peering, scopes: new Set(['public'] as const), via: 'pull' } as const;
    expect(await side.stand.ingest.take(page)).to.deep.include.members([
      { kind: 'parked', factId: poison.id, reason: 'ingest_error', stampMs: Number(poison.hlc.split('.')[0]) },
    ]);
  });

  it('fails as a whole if 40 facts cannot be stored, or if its caller throws before the commit', async () => {
    const side = await start({ extra: [choosyPlugin] });
    const poisons = Array.from({ length: 40 }, (_, at) => peerFact(at, { entity: 'user:poison' }));
    const { peering } = side.stand;
    const base = { peering, scopes: new Set(['public'] as const), via: 'pull' } as const;
    const attempt = (page: object) =>
      side.stand.ingest.take({ ...base, facts: [], ...page }).then(
        () => 'taken',
        (error: Error) => error.message,
      );
    expect(await attempt({ facts: poisons })).to.equal('cannot bear this');
    const refuse = async () => {
      throw new Error('no cursor');
    };
    for (const facts of [[peerFact(50)], []]) {
      expect(await attempt({ facts, beforeCommit: refuse })).to.equal('no cursor');
    }
    expect([await total(side, 'source=agent:of-p'), await received(side)]).to.deep.equal([0, 0]);
  });

  it('is stored completely or not at all if any store call fails', async () => {
    const plan = new FaultPlan();
    const side = await start({ wrapStore: (store) => createFaultingStore(store, plan) });
    await push(side, factsFrom(0, 3));
    let stored = 3;
    for (let call = 1; call <= 60; call += 1) {
      const facts = factsFrom(call * 10, 3);
      plan.arm(call, FAULT_KINDS[call % FAULT_KINDS.length] as (typeof FAULT_KINDS)[number]);
      const reply = await push(side, facts);
      const { fired } = plan;
      plan.disarm();
      if (reply.status === 202) stored += 3;
      else expect(reply.status, `call ${call}`).to.equal(503);
      expect(await total(side, 'source=agent:of-p'), `call ${call}`).to.equal(stored);
      expect(await received(side), `call ${call}`).to.equal(stored);
      if (!fired) {
        expect(call).to.be.above(5);
        return;
      }
      expect((await push(side, facts)).status).to.equal(202);
      stored = await received(side);
    }
    expect.fail('a push made more than 60 calls');
  });

  it('gives the same result for any order and repetition of its facts', async () => {
    const [one, two] = [await start(), await start()];
    let run = 0;
    const said = fc.record({ entity: fc.nat(2), value: fc.nat(2), confidence: fc.constantFrom(0, 0.5, 1) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(said, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(1_000), { minLength: 1, maxLength: 16 }),
        fc.array(fc.nat(1_000), { minLength: 1, maxLength: 16 }),
        async (sayings, firstOrder, secondOrder) => {
          run += 1;
          const facts = sayings.map(({ entity, value, confidence }, at) =>
            peerFact(run * 100 + at, {
              entity: `user:r${run}-${entity}`,
              value: { type: 'number', v: value },
              confidence,
            }),
          );
          for (const [side, order] of [
            [one, firstOrder],
            [two, secondOrder],
          ] as const) {
            const some = order.map((number) => facts[number % facts.length]);
            for (const batch of [some.slice(0, 5), some.slice(5), facts]) {
              expect((await push(side, batch)).body.rejected).to.equal(0);
            }
          }
          for (const entity of [0, 1, 2]) {
            const seen = async ({ node, key }: Side) => {
              const query = `entity=user:r${run}-${entity}&limit=50`;
              const { facts: found } = (await node.request('GET', `/v1/facts?${query}`, { key })).body;
              return found
                .map(({ id, hlc, contradicted }: Record<string, unknown>) => `${id} ${hlc} ${contradicted}`)
                .sort();
            };
            expect(await seen(one)).to.deep.equal(await seen(two));
          }
        },
      ),
      { numRuns: Math.max(10, Math.round(RUNS / 10)) },
    );
    expect(await received(one)).to.equal(await received(two));
  });
});
