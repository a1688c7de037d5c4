import { expect } from 'chai';
import type { Ref } from '../../../kernel/internal-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { neededStages } from '../../../plugins/recall/stage-weights.ts';
import { SearchIndex, type SearchStep } from '../../../plugins/search/search-api.ts';
import { searchPlugin } from '../../../plugins/search/search-plugin.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** The plugin `search`, with an index that records the requested steps. */
const watchedSearch = (asked: Set<string>): AnyPlugin => ({
  ...searchPlugin,
  setup: (context) => {
    const provide = <T extends object>(ref: Ref<T>, service: NoInfer<T>): void => {
      const watched = new Proxy<T>(service, {
        get(target, member) {
          asked.add(String(member));
          const found: unknown = Reflect.get(target, member, target);
          if (typeof found !== 'function') return found;
          return (...given: unknown[]): unknown => {
            if (member === 'ask') for (const { find } of given[0] as readonly SearchStep[]) asked.add(find);
            return found.apply(target, given);
          };
        },
      });
      context.provide(ref, ref.id === SearchIndex.id ? watched : service);
    };
    return searchPlugin.setup({ ...context, provide: provide as typeof context.provide });
  },
});

describe('search stages of a recall', () => {
  let node: TestNode | undefined;
  afterEach(() => node?.stop());

  const STAGES = ['words', 'near', 'beside'];
  for (const [what, weights, needed] of [
    ['words alone', { lexical: 1 }, ['words']],
    ['vectors alone', { vector: 1 }, ['near']],
    ['words and vectors', { lexical: 0.5, vector: 0.5 }, ['words', 'near']],
    ['words and links', { lexical: 0.5, graph: 0.5 }, ['words', 'beside']],
    ['links alone', { graph: 1 }, STAGES],
    ['recency alone', { recency: 1 }, STAGES],
    ['everything', undefined, STAGES],
  ] as const) {
    it(`run only if their scores count: ${what}`, async () => {
      const asked = new Set<string>();
      const started = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'recall', watchedSearch(asked)] });
      node = started;
      const key = await started.addKey();
      const fact = { entity: 'user:ann', relation: 'memory:note', value: { type: 'text', v: 'two grey cats' } };
      const stored = await started.request('POST', '/v1/facts', { key, body: { ...fact, source: 'agent:s' } });
      expect(stored.status, stored.text).to.equal(201);
      asked.clear();
      const body = { query: 'grey cats', token_budget: 500, ...(weights === undefined ? {} : { weights }) };
      const reply = await started.request('POST', '/v1/recall', { key, body });
      expect(reply.status, reply.text).to.equal(200);
      expect(STAGES.filter((stage) => asked.has(stage))).to.deep.equal(needed);
      // The query is not embedded without need either.
      expect(asked.has('embedders')).to.equal(needed.some((stage) => stage === 'near'));
    });
  }

  it('give the graph the hits of words and vectors, even if neither has weight', () => {
    const none = { lexical: 0, vector: 0, graph: 0, sourceTrust: 0, recency: 0 };
    expect(neededStages({ ...none, graph: 1 })).to.deep.equal({ lexical: true, vector: true, graph: true });
    expect(neededStages({ ...none, sourceTrust: 1 })).to.deep.equal({ lexical: true, vector: true, graph: true });
  });
});
