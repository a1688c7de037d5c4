import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Shown {
  readonly fact: { readonly id: string; readonly entity: string; readonly value: { readonly v: string } };
  readonly also?: number;
  readonly also_ids?: readonly string[];
}

const FERRY = 'The ferry timetable changes on the first of April';

forEachStore('a recall that finds several facts with the same text', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'recall', 'search', 'gardens'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const say = async (entity: string, v: string, members: object = {}): Promise<string> => {
    const body = { entity, relation: 'memory:said', value: { type: 'text', v }, scope: 'company', ...members };
    const reply = await node.request('POST', '/v1/facts', { key, body: { source: 'user:test', ...body } });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.id;
  };
  const recall = async (query: string, members: object = {}) => {
    const reply = await node.request('POST', '/v1/recall', { key, body: { query, token_budget: 2_000, ...members } });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body as { readonly facts: readonly Shown[]; readonly omitted: { readonly repeated: number } };
  };

  it('returns one of six equal texts, with the number and ids of the others', async () => {
    const ids = [];
    for (let at = 0; at < 6; at += 1) ids.push(await say(`cap:${at}`, FERRY));
    await say('cap:other', 'The ferry takes no cars in winter');
    const { facts, omitted } = await recall('when does the ferry timetable change', { token_budget: 150 });
    expect(facts.map(({ fact }) => fact.value.v)).to.deep.equal([FERRY, 'The ferry takes no cars in winter']);
    const [first] = facts as [Shown];
    expect([first.also, omitted.repeated]).to.deep.equal([5, 5]);
    expect([first.fact.id, ...(first.also_ids ?? [])]).to.have.members(ids);
  });

  it('treats texts as equal if they differ only in case, white space or Unicode composition', async () => {
    await say('note:a', 'José opens the shop at nine');
    await say('note:b', 'JOSE\u0301  opens the\nshop at nine ');
    expect((await recall('who opens the shop')).facts.map(({ also }) => also)).to.deep.equal([1]);
  });

  it('names the ids of the others also with selected fields', async () => {
    await say('note:a', FERRY);
    await say('note:b', FERRY);
    const [only] = (await recall('ferry', { fields: 'compact' })).facts;
    expect([only?.also, only?.also_ids?.length]).to.deep.equal([1, 1]);
  });

  it('returns equal short texts about different entities separately', async () => {
    for (const name of ['door:north', 'door:south']) await say(name, 'open');
    const { facts } = await recall('which door is open');
    expect(facts.map(({ fact }) => fact.entity)).to.have.members(['door:north', 'door:south']);
  });

  it('returns equal texts of different scopes separately', async () => {
    await say('note:a', FERRY);
    await say('note:b', FERRY, { scope: 'public' });
    expect((await recall('ferry timetable')).facts).to.have.length(2);
  });

  it('ranks the newest of similar wordings first', async () => {
    const of = (year: number, confidence: number) => ({ timestamp: `${year}-03-01T00:00:00Z`, confidence });
    await say('note:c', 'the keys of the boat house hang beside the red door', of(2022, 0.8));
    await say('note:a', 'the keys of the boat house hang beside the green door', of(2020, 1));
    await say('note:b', 'the keys of the boat house hang beside the old door', of(2021, 0.9));
    const { facts } = await recall('where do the keys of the boat house hang');
    const shown = facts.map(({ fact }) => fact.value.v.split(' ').at(-2));
    expect(shown).to.deep.equal(['red', 'old', 'green']);
  });

  it('never returns two equal sentences of one scope and garden, and loses none', async () => {
    const texts = ['the harbour closes at dusk today', 'the harbour closes at noon today', 'tar keeps the harbour dry'];
    const drawn = fc.array(fc.record({ text: fc.constantFrom(...texts), entity: fc.nat(5) }), {
      minLength: 1,
      maxLength: 9,
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(drawn, async (said) => {
        round += 1;
        const word = `word${'abcdefghij'[round % 10]}${round}`;
        const ids = new Set<string>();
        for (const [at, { text, entity }] of said.entries())
          ids.add(await say(`e${entity}:${round}-${at}`, `${text} ${word}`));
        const { facts } = await recall(`harbour ${word}`, { weights: { lexical: 1 }, limit: 500 });
        const own = facts.filter(({ fact }) => fact.value.v.endsWith(word));
        expect(new Set(own.map(({ fact }) => fact.value.v)).size).to.equal(own.length);
        expect(own.flatMap(({ fact, also_ids: others = [] }) => [fact.id, ...others])).to.have.members([...ids]);
      }),
      { numRuns: Math.min(RUNS, 12) },
    );
  });
});
