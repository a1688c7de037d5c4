import { expect } from 'chai';
import { defineOwnPlugin, plainView } from '../../../kernel/internal-api.ts';
import {
  all,
  below,
  equals,
  type HookCaller,
  isIn,
  not,
  type Principal,
  SCOPES,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { entitiesOf, linkedFacts } from '../../../plugins/recall/linked-facts.ts';
import { recallExpand } from '../../../plugins/recall/recall-api.ts';
import type { SearchView } from '../../../plugins/search/search-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { GARDEN, gardenDoors } from './garden-doors.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

/** Takes the place of recall: it calls the hook. */
const createCaller = () => {
  let hooks: HookCaller | undefined;
  const plugin = defineOwnPlugin({
    name: 'recall-caller',
    setup: (context) => {
      hooks = context.hooks;
    },
  });
  return { plugin, expand: ((...given) => (hooks as HookCaller).collect(...given)) as HookCaller['collect'] };
};

const text = (entity: string, v: string, members = {}) =>
  refDraft(entity, v, {
    relation: 'memory:note',
    value: { type: 'string', v, interpretAs: 'content' },
    ...members,
  });

forEachStore('the expansion of a recall by the graph', () => {
  const caller = createCaller();
  let node: TestNode;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['graph', gardenDoors(['agent:member']), caller.plugin] });
  });
  afterEach(() => node.stop());

  const store = async (draft: ReturnType<typeof refDraft>): Promise<StoredFact> =>
    (await node.facts.append(draft, WRITER)).view.fact;

  const expand = (
    seeds: readonly (readonly [fact: StoredFact, score: number])[],
    options: { depth?: number; view?: Partial<SearchView>; as?: Principal } = {},
  ) => {
    const { depth = 1, view = {}, as = WRITER } = options;
    return node.facts.read(as, 'query', async (reader) => {
      const whole: SearchView = {
        tenantId: 'default',
        scopes: SCOPES,
        gardens: reader.gardens,
        nowMs: reader.nowMs,
        minConfidence: 0.1,
        ...view,
      };
      const input = seeds.map(([fact, score]) => ({ ...plainView(fact), score }));
      const expansions = await caller.expand(recallExpand, {
        caller: as,
        reader,
        view: whole,
        query: 'anything',
        depth,
        seeds: input,
        isNarrowed: false,
      });
      const newest = await Promise.all(
        entitiesOf(expansions).map(async ({ entityKey, limit }) => {
          const { scopes, minConfidence, onlyGarden, relationKey } = whole;
          const about = all(
            equals('entityKey', entityKey),
            isIn('scope', scopes),
            not(below('confidence', minConfidence)),
            ...(onlyGarden === undefined ? [] : [equals('gardenId', onlyGarden)]),
            ...(relationKey === undefined ? [] : [equals('relationKey', relationKey)]),
          );
          const facts = await reader.find(about, { view: 'live', order: 'hlc', limit });
          return facts.map(({ id, confidence }) => ({ id, score: confidence }));
        }),
      );
      const found = linkedFacts(
        expansions,
        newest,
        seeds.map(([fact]) => fact),
      );
      return found.map(({ id, score, hops }) => [id, Number(score.toFixed(6)), hops]);
    });
  };

  it('adds neighbours of the found facts, and facts about them, with lower scores for each hop', async () => {
    const seed = await store(text('a', 'seed'));
    await store(text('a', 'another of the same'));
    const first = await store(refDraft('a', 'b', { confidence: 0.8 }));
    const about = await store(text('b', 'about b', { confidence: 0.5 }));
    const second = await store(refDraft('c', 'b'));
    const far = await store(text('c', 'about c'));
    expect(await expand([[seed, 1]])).to.have.deep.members([
      [first.id, 0.4, 1],
      [about.id, 0.2, 1],
    ]);
    expect(await expand([[seed, 1]], { depth: 2 })).to.have.deep.members([
      [first.id, 0.4, 1],
      [about.id, 0.2, 1],
      [second.id, 0.2, 2],
      [far.id, 0.2, 2],
    ]);
    expect(await expand([[seed, 1]], { depth: 0 })).to.deep.equal([]);
    expect(await expand([])).to.deep.equal([]);
  });

  it('adds no fact that was already found, and prefers neighbours of the best facts', async () => {
    const weak = await store(text('weak', 'seed'));
    const strong = await store(text('strong', 'seed'));
    const edge = await store(refDraft('strong', 'x'));
    const other = await store(refDraft('weak', 'y'));
    const known = await store(text('x', 'known already'));
    const found = await expand([
      [weak, 0.5],
      [strong, 2],
      [known, 1],
    ]);
    expect(found.slice(0, 2)).to.deep.equal([
      [edge.id, 1, 1],
      [other.id, 0.25, 1],
    ]);
    expect(found.map(([id]) => id)).not.to.include(known.id);
  });

  it('adds no fact that is invisible to the caller, not live, or excluded by a filter', async () => {
    const seed = await store(text('a', 'seed'));
    await store(refDraft('a', 'secret', { gardenId: GARDEN, relation: 'rel:g' }));
    await store(text('secret', 'public knowledge'));
    const open = await store(refDraft('a', 'b', { scope: 'team' }));
    await store(text('b', 'hidden', { gardenId: GARDEN }));
    const company = await store(text('b', 'of the company'));
    await store(text('b', 'doubtful', { confidence: 0.05, relation: 'memory:doubt' }));
    await store(refDraft('a', 'gone', { relation: 'rel:gone' }));
    await store(refDraft('a', 'gone', { relation: 'rel:gone', confidence: 0 }));
    const ids = async (options: Parameters<typeof expand>[1]) => (await expand([[seed, 1]], options)).map(([id]) => id);
    expect(await ids({})).to.have.members([open.id, company.id]);
    expect(await ids({ view: { scopes: ['team'] } })).to.deep.equal([open.id]);
    expect(await ids({ view: { relationKey: 'memory:nothing' } })).to.deep.equal([open.id]);
    expect(await ids({ as: { ...WRITER, entityUri: 'agent:member' } })).to.have.length(5);
    const inGarden = { view: { onlyGarden: GARDEN }, as: { ...WRITER, entityUri: 'agent:member' } };
    expect(await ids(inGarden)).to.have.length(1);
  });

  it('reads a limited number of edges at a hub', async () => {
    const seed = await store(text('hub', 'seed'));
    const spokes = Array.from({ length: 1_200 }, (_, n) => refDraft('hub', `s:${n}`, { relation: `rel:n${n}` }));
    const notes = Array.from({ length: 1_200 }, (_, n) => text(`s:${n % 40}`, `note ${n}`, { relation: `m:n${n}` }));
    await node.facts.appendAll([...spokes, ...notes], WRITER);
    const found = await expand([[seed, 1]], { depth: 2 });
    expect(found.length).to.be.within(33, 32 + 256);
  });
});
