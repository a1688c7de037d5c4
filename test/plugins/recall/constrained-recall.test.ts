import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { equals, not, readConstrain } from '../../../kernel/plugin-api.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachLayout } from '../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'graph', 'cards', 'recall', 'search'];
/** A number of hidden facts that fills the first search of a stage. */
const HIDDEN = 700;

/** Hides facts of `agent:secret` from `agent:outsider`, by a rule that the search index does not know. */
const curtain = defineOwnPlugin({
  name: 'curtain',
  setup: ({ on }) => {
    on(readConstrain, ({ caller }) =>
      caller.entityUri === 'agent:outsider' ? not(equals('sourceKey', 'agent:secret')) : undefined,
    );
  },
});

forEachLayout('a recall on a node whose plugin hides facts from some callers', () => {
  let node: TestNode;
  let insider: string;
  let outsider: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: [...PLUGINS, curtain] });
    insider = await node.addKey();
    outsider = await node.addKey({ entityUri: 'agent:outsider' });
  });
  afterEach(() => node.stop());

  const draft = (entity: string, v: string, members: object = {}) => ({
    entity,
    relation: 'memory:note',
    value: { type: 'text', v },
    source: 'agent:open',
    ...members,
  });
  const SECRET = { source: 'agent:secret' };
  const say = async (drafts: readonly object[], session = ''): Promise<void> => {
    const reply = await node.request('POST', '/v1/facts/batch', {
      key: insider,
      body: drafts,
      headers: { 'Svc-Session': session },
    });
    expect(reply.status, reply.text.slice(0, 300)).to.be.within(200, 299);
  };
  const recall = async (
    members: Readonly<Record<string, unknown>> & { readonly limit?: number },
    key = outsider,
  ): Promise<string[]> => {
    const body = { token_budget: 20_000, ...members };
    const reply = await node.request('POST', '/v1/recall', { key, body });
    expect(reply.status, reply.text).to.equal(200);
    const shown = Math.min(reply.body.total_scored, members.limit ?? reply.body.total_scored);
    expect(reply.body.facts.length).to.equal(shown);
    return reply.body.facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v);
  };

  it('searches on until it has enough visible facts', async () => {
    const hidden = Array.from({ length: HIDDEN }, (_, n) => draft(`box:${n}`, 'lantern lantern', SECRET));
    await say(hidden.slice(0, HIDDEN / 2));
    await say(hidden.slice(HIDDEN / 2));
    const long = 'a lantern among very many other words that make the text of this fact long and its score low';
    await say(['one', 'two', 'three'].map((v) => draft(`open:${v}`, `${long} ${v}`)));
    expect(await recall({ query: 'lantern' })).to.have.members(['one', 'two', 'three'].map((v) => `${long} ${v}`));
    expect(await recall({ query: 'lantern', limit: 500 }, insider)).to.have.length.above(32);
  });

  it('never ranks visible facts lower because hidden ones are similar to the query', async () => {
    const text = 'she studied counselling and education';
    await say([draft('open:1', text), draft('open:2', 'he repaired the old windmill')]);
    await say(['a', 'b', 'c', 'd', 'e'].map((name) => draft(`box:${name}`, text, SECRET)));
    const misspelt = { query: 'educaton counseling', weights: { vector: 1 } };
    await comesTrue(async () => {
      await node.clock.advance(0);
      return (await recall(misspelt)).length > 0;
    });
    await say([draft('open:3', 'gliding beneath the northern viaduct')]);
    await comesTrue(async () => {
      await node.clock.advance(0);
      return (await recall({ query: 'northerly viadukt glide', weights: { vector: 1 } })).length > 0;
    });
    expect(await recall(misspelt)).to.deep.equal([text]);
  });

  it('neither starts from hidden facts, nor leads to them, nor sums them up', async () => {
    await say(
      [
        draft('user:a', 'telescope of the harbour'),
        draft('user:b', 'secret neighbour', SECRET),
        draft('user:a', '', { relation: 'rel:knows', value: { type: 'ref', v: 'user:hidden' }, ...SECRET }),
      ],
      's1',
    );
    await say([draft('user:hidden', 'behind the curtain')]);
    expect(await recall({ query: 'telescope', depth: 2 })).to.deep.equal(['telescope of the harbour']);
    expect(await recall({ query: 'telescope', depth: 2 }, insider)).to.include('behind the curtain');
    expect(await recall({ query: 'neighbour' })).to.deep.equal([]);
    const neighbors = await node.request('GET', '/v1/graph/neighbors?entity=user:a', { key: outsider });
    expect(neighbors.body.neighbors).to.deep.equal([]);
    expect((await node.request('GET', '/v1/cards/user:b', { key: outsider })).status).to.equal(404);
    expect((await recall({ entity: 'user:a' })).join())
      .to.contain('telescope')
      .and.to.not.contain('hidden');
  });
});
