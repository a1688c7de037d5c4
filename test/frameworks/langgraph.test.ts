import type { BaseStore, Operation } from '@langchain/langgraph-checkpoint';
import { expect } from 'chai';
import fc from 'fast-check';
import type { FactClient } from '../../client/client.ts';
import { LangGraphStore } from '../../client/frameworks/langgraph.ts';
import { clientOf } from '../client/loopback-fetch.ts';
import { RUNS } from '../kit/property-runs.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { frameworkPackage } from './framework-package.ts';

const framework = frameworkPackage<{ InMemoryStore: new () => BaseStore }>('@langchain/langgraph-checkpoint');
const SOURCE = 'agent:planner';
const ALL = 1_000_000;

const label = fc.constantFrom('users', 'Users', 'alice', 'José', 'a b', '%41');
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom('prefs', 'Prefs', 'a/b', '', 'é', '日本', '.');
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const value = fc.record({ n: fc.integer({ min: 0, max: 3 }), kind: fc.constantFrom('a', 'b', 1, null), more: json });
const operand = fc.constantFrom<unknown>(0, 1, 2, 'a', 'b', null, true);
const operator = fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$other');
const comparison = fc.oneof(operand, fc.dictionary(operator, fc.oneof(operand, fc.array(operand)), { maxKeys: 2 }));
const filter = fc.dictionary(fc.constantFrom('n', 'kind', 'none'), comparison, { maxKeys: 2 });
const path = fc.array(fc.oneof(label, fc.constant('*')), { maxLength: 2 });
const condition = fc.record({ matchType: fc.constantFrom('prefix' as const, 'suffix' as const), path });

const put = fc.record({ namespace, key, value: fc.option(value, { freq: 4 }) });
const get = fc.record({ namespace, key });
const search = fc.record({ namespacePrefix: fc.array(label, { maxLength: 3 }), filter, limit: fc.constant(ALL) });
const list = fc.record(
  { matchConditions: fc.array(condition, { maxLength: 2 }), maxDepth: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: ['matchConditions'] },
);
const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: put },
    get,
    search,
    list.map((one) => ({ ...one, limit: ALL, offset: 0 })),
  ),
  { maxLength: 6 },
);

interface Found {
  readonly namespace: string[];
  readonly key: string;
  readonly value: unknown;
}

/** Returns an answer without times, and without the order of items, which the framework leaves open. */
const comparable = (result: unknown): unknown => {
  if (result === null || result === undefined) return null;
  if (!Array.isArray(result)) return plain(result as Found);
  return result.every(Array.isArray) ? result : result.map(plain).sort(byText);
};
const plain = ({ namespace, key, value }: Found): Found => ({ namespace, key, value });
const byText = (one: unknown, other: unknown): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

if (framework !== undefined) {
  const { InMemoryStore } = framework;

  describe('the LangGraph store', () => {
    let node: TestNode;
    let client: FactClient;
    let store: LangGraphStore;
    let gardens = 0;

    before(async () => {
      node = await startTestNode({ plugins: ['facts', 'conflicts', 'recall', 'search', 'keys', 'gardens'] });
      const permissions = ['read', 'write', 'admin'];
      client = clientOf(node, { key: await node.addKey({ permissions, entityUri: SOURCE }) });
      store = new LangGraphStore({ client, source: SOURCE });
    });
    after(() => node.stop());

    /** Returns a store in a garden of its own. */
    const emptyStore = async (): Promise<LangGraphStore> => {
      gardens += 1;
      const garden = `g${gardens}`;
      await client.gardens.create({ slug: garden, name: garden, scope: 'company' });
      return new LangGraphStore({ client, source: SOURCE, garden });
    };

    it('answers every sequence of operations as the in-memory store does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operations, { maxLength: 4 }), async (batches) => {
          const ours: BaseStore = await emptyStore();
          const theirs = new InMemoryStore();
          for (const batch of batches) {
            // The in-memory store also lists namespaces that have lost their last item.
            const current = new InMemoryStore();
            for (const { namespace, key, value } of await theirs.search([], { limit: ALL })) {
              await current.put(namespace, key, value);
            }
            const expected = await theirs.batch(batch);
            const results = await ours.batch(batch);
            for (const [at, operation] of batch.entries()) {
              const [wanted] = 'matchConditions' in operation ? await current.batch([operation]) : [expected[at]];
              expect(comparable(results[at]), JSON.stringify(operation)).to.deep.equal(comparable(wanted));
            }
          }
        }),
        { numRuns: Math.ceil(RUNS / 4) },
      );
    });

    it('refuses the namespaces that the in-memory store refuses', async () => {
      const theirs = new InMemoryStore();
      for (const bad of [[], [''], ['a.b'], ['a:b'], ['a\0'], ['langgraph', 'a']]) {
        for (const one of [theirs, store]) {
          expect(await rejection(one.put(bad, 'k', { n: 1 })), String(bad)).to.be.instanceOf(Error);
        }
      }
    });

    it('returns items page by page by limit and offset, newest first', async () => {
      const ours = await emptyStore();
      for (const n of [0, 1, 2]) {
        await node.clock.advance(1_000);
        await ours.put(['page'], `k${n}`, { n });
      }
      const keys = async (limit: number, offset: number) =>
        (await ours.search(['page'], { limit, offset })).map(({ key }) => key);
      expect(await keys(2, 0)).to.deep.equal(['k2', 'k1']);
      expect(await keys(2, 2)).to.deep.equal(['k0']);
      expect(await ours.listNamespaces({ limit: 1 })).to.deep.equal([['page']]);
    });

    it('finds items by meaning below a prefix, with equal values under several keys', async () => {
      const ours = await emptyStore();
      const text = 'the harbour master keeps the tide tables in the red cabinet';
      await ours.put(['notes', 'alice'], 'tides', { text, kind: 'a' });
      await ours.put(['notes', 'alice'], 'copy', { text, kind: 'a' });
      await ours.put(['notes', 'alicette'], 'tides', { text, kind: 'b' });
      await ours.put(['notes', 'alice'], 'bread', { text: 'rye bread takes four hours to rise', kind: 'a' });
      const found = await ours.search(['notes', 'alice'], {
        query: 'where are the tide tables?',
        filter: { kind: 'a' },
      });
      expect(found.slice(0, 2).map(({ key }) => key)).to.have.members(['tides', 'copy']);
      expect(found.every(({ namespace }) => namespace[1] === 'alice')).to.equal(true);
      expect(found[0]?.score).to.be.above(0);
    });

    it('marks an item whose key has contradicting values, with every value and its source', async () => {
      await store.put(['users', 'alice'], 'role', { title: 'CEO' });
      const [mine] = await client.query({ entity: 'langgraph:users/alice/role' }).take(1);
      expect(mine).to.deep.include({ source: SOURCE, relation: 'langgraph:item' });
      expect(await store.get(['users', 'alice'], 'role')).to.not.have.property('contradictions');

      await node.clock.advance(1_000);
      const value = { type: 'text' as const, v: '{"title":"CTO"}' };
      const entity = 'langgraph:users/alice/role';
      await client.assert({ entity, relation: 'langgraph:item', value, source: 'agent:other' });
      const item = await store.get(['users', 'alice'], 'role');
      expect(item?.value).to.deep.equal({ title: 'CTO' });
      expect(item?.contradictions?.map(({ value, source }) => [value, source])).to.deep.equal([
        [{ title: 'CTO' }, 'agent:other'],
        [{ title: 'CEO' }, SOURCE],
      ]);
      const [found] = await store.search(['users'], { query: 'CTO or CEO' });
      expect(found?.contradictions).to.have.lengthOf(2);

      await store.put(['users', 'alice'], 'role', { title: 'CFO' });
      const settled = await store.get(['users', 'alice'], 'role');
      expect([settled?.value, settled?.contradictions]).to.deep.equal([{ title: 'CFO' }, undefined]);
      expect(await client.conflicts().take(1)).to.deep.equal([]);
    });

    it('stores nothing for an unchanged value, and ends a deleted one', async () => {
      const entity = 'langgraph:once/key';
      const facts = async () => (await client.query({ entity, include_retracted: true }).take(10)).length;
      await store.put(['once'], 'key', { b: 1, a: 2 });
      await store.put(['once'], 'key', { a: 2, b: 1 });
      expect(await facts()).to.equal(1);
      await store.delete(['once'], 'key');
      await store.delete(['once'], 'key');
      expect([await facts(), await store.get(['once'], 'key')]).to.deep.equal([2, null]);
    });

    it('sees only items of its own scope, garden and tenant', async () => {
      const inGarden = await emptyStore();
      const team = new LangGraphStore({ client, source: SOURCE, scope: 'team' });
      await inGarden.put(['place'], 'k', { n: 1 });
      await team.put(['place'], 'k', { n: 2 });
      expect(await store.search(['place'])).to.deep.equal([]);
      await store.put(['place'], 'k', { n: 3 });
      const values = await Promise.all([inGarden, team, store].map((one) => one.get(['place'], 'k')));
      expect(values.map((item) => item?.value['n'])).to.deep.equal([1, 2, 3]);
      const found = await inGarden.search(['place'], { query: 'place' });
      expect(found.map(({ value: { n } }) => n)).to.deep.equal([1]);
    });
  });
}
