import { expect } from 'chai';
import type { Ref } from '../../../kernel/internal-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { SearchIndex, TextRanker } from '../../../plugins/search/search-api.ts';
import { searchPlugin } from '../../../plugins/search/search-plugin.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

type Calls = Map<string, number>;

const BY_VECTOR = { query: 'user:1 memory:note Bob sails a small boat', weights: { vector: 1 } };

/** Clones every argument and every result, as a worker thread would, and counts the calls. */
const acrossThreads = <T extends object>(service: T, calls: Calls): T =>
  new Proxy(service, {
    get(target, member) {
      const method = Reflect.get(target, member, target) as (...given: unknown[]) => unknown;
      return async (...given: unknown[]) => {
        calls.set(String(member), (calls.get(String(member)) ?? 0) + 1);
        const result = method.apply(target, structuredClone(given));
        expect(result, `${String(member)} returns a promise`).to.be.instanceOf(Promise);
        return structuredClone(await result);
      };
    },
  });

/** The plugin `search`, whose services are reached only through messages. */
const distantSearch = (calls: Calls): AnyPlugin => ({
  ...searchPlugin,
  setup: (context) => {
    const provide = <T extends object>(ref: Ref<T>, service: NoInfer<T>): void => {
      const isSpoken = ref.id === SearchIndex.id || ref.id === TextRanker.id;
      context.provide(ref, isSpoken ? acrossThreads(service, calls) : service);
    };
    return searchPlugin.setup({ ...context, provide: provide as typeof context.provide });
  },
});

forEachStore('a search index in another thread', () => {
  let node: TestNode | undefined;
  afterEach(() => node?.stop());

  const start = async (search: AnyPlugin) => {
    const started = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'graph', 'gardens', 'recall', search],
    });
    node = started;
    const key = await started.addKey();
    const body = [
      'Ann keeps two grey cats',
      'Bob sails a small boat',
      'Cem feeds the cats of Ann',
      'They meet on Monday',
    ]
      .map((v, n) => ({ entity: `user:${n}`, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' }))
      .concat(
        ['red', 'blue'].map((v) => ({
          entity: 'user:0',
          relation: 'memory:colour of cats',
          value: { type: 'text', v },
          source: 'agent:s',
        })),
      )
      .concat({ entity: 'user:2', relation: 'rel:feeds', value: { type: 'ref', v: 'user:0' }, source: 'agent:s' });
    const headers = { 'Svc-Session': 'of one evening' };
    const stored = await started.request('POST', '/v1/facts/batch', { key, body, headers });
    expect(stored.status, stored.text).to.be.within(200, 299);
    const recall = async (members: object) => {
      const reply = await started.request('POST', '/v1/recall', { key, body: { token_budget: 1_000, ...members } });
      expect(reply.status, reply.text).to.equal(200);
      return { ...reply.body, recall_id: null };
    };
    await comesTrue(async () => {
      await started.clock.advance(0);
      return (await recall(BY_VECTOR)).facts.length > 0;
    });
    return { started, recall };
  };

  const answers = async (search: AnyPlugin): Promise<unknown[]> => {
    const { started, recall } = await start(search);
    const asked = [{ query: 'grey cats', depth: 2 }, BY_VECTOR, { entity: 'user:0' }, { query: 'nothing of it' }];
    const found: unknown[] = [];
    for (const members of asked) {
      const { facts, ...rest } = await recall(members);
      found.push({
        ...rest,
        content: null,
        facts: facts.map((one: { fact: { value: { v: string } } }) => one.fact.value.v),
      });
    }
    await started.stop();
    return found;
  };

  it('gives the same answers as one in the same thread', async () => {
    const calls: Calls = new Map();
    const distant = await answers(distantSearch(calls));
    expect([...calls.keys()].sort()).to.deep.equal(METHODS);
    expect(distant).to.deep.equal(await answers(searchPlugin));
  });

  it('receives two messages per recall', async () => {
    const calls: Calls = new Map();
    const { recall } = await start(distantSearch(calls));
    for (const members of [
      { query: 'grey cats', depth: 2 },
      { query: 'grey cats', entity: 'user:2' },
      { query: 'grey cats', depth: 0 },
      { query: 'grey cats', weights: { lexical: 1 } },
      { entity: 'user:0' },
    ]) {
      await recall(members);
      calls.clear();
      await recall(members);
      expect(calls.get('ask'), JSON.stringify(members)).to.equal(2);
    }
  });

  it('ranks texts of the caller like one in the same thread', async () => {
    const calls: Calls = new Map();
    const texts = ['two grey cats', 'a boat', 'cats, cats and a grey boat'];
    const ranked: number[][] = [];
    for (const search of [searchPlugin, distantSearch(calls)]) {
      node = await startTestNode({ plugins: ['keys', 'facts', search] });
      ranked.push(await node.kernel.get(TextRanker).rank('grey cats', texts));
      await node.stop();
    }
    expect(calls.get('rank')).to.equal(1);
    expect(ranked[1]).to.deep.equal(ranked[0]);
    expect(ranked[0]?.map((score) => score > 0)).to.deep.equal([true, false, true]);
  });
});

/** All methods of an index that these recalls call. */
const METHODS = ['ask', 'embedders', 'isMakingVectors', 'ready'] satisfies (keyof SearchIndex)[];
