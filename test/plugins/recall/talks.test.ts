import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Scored {
  readonly fact: { readonly id: string; readonly value: { readonly v: string } };
  readonly score: number;
  readonly score_breakdown: Readonly<Record<string, number>>;
}

forEachStore('a recall over the facts of conversations', () => {
  let node: TestNode;
  let key: string;
  let turns: number;
  beforeEach(async () => {
    turns = 0;
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'gardens', 'recall', 'search'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const say = async (session: string | undefined, v: string, members: object = {}): Promise<void> => {
    turns += 1;
    const body = { entity: `turn:${turns}`, relation: 'chat:said', value: { type: 'text', v }, source: 'agent:s' };
    const headers: Record<string, string> = session === undefined ? {} : { 'Svc-Session': session };
    const reply = await node.request('POST', '/v1/facts', { key, body: { ...body, ...members }, headers });
    expect(reply.status, reply.text).to.equal(201);
  };
  const recall = async (members: object, caller = key): Promise<readonly Scored[]> => {
    const reply = await node.request('POST', '/v1/recall', { key: caller, body: { token_budget: 4_000, ...members } });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts;
  };
  const part = (facts: readonly Scored[], name: string, v: string): number | undefined =>
    facts.find(({ fact }) => fact.value.v === v)?.score_breakdown[name];
  const talk = async (session: string | undefined): Promise<void> => {
    await say(session, 'Jonas: the kiln cracked in June, Mira.');
    await say(session, 'Mira: my kiln is a small one.');
  };

  it('ranks statements of a speaker whom the query names higher, and shows the factor', async () => {
    await talk('evening');
    const facts = await recall({ query: 'Did the kiln of Mira crack?' });
    expect(part(facts, 'named', 'Mira: my kiln is a small one.')).to.equal(1.5);
    expect(part(facts, 'named', 'Jonas: the kiln cracked in June, Mira.')).to.equal(1);
    const [first] = facts;
    const { fused = 0, named = 0, recency = 0, confidence = 0, access = 0 } = first?.score_breakdown ?? {};
    const sway = (signal: number): number => 1 + 0.1 * (2 * signal - 1);
    expect(first?.score).to.be.closeTo(fused * named * sway(recency) * sway(confidence) * sway(access), 1e-9);
  });

  it('shows a factor of 1 for facts without neighbours in a session, even if they begin with that name', async () => {
    await talk(undefined);
    await say('of one', 'Mira: the kiln is alone here.');
    const facts = await recall({ query: 'Did the kiln of Mira crack?' });
    expect(facts).to.have.length(3);
    expect(facts.map(({ score_breakdown }) => score_breakdown['named'])).to.deep.equal([1, 1, 1]);
  });

  it('lets the words of neighbouring facts count if the request includes neighbours', async () => {
    const answer = 'It was in the workshop at the harbour.';
    const elsewhere = 'It was in the workshop at the station.';
    await say('one', 'Where did the kiln crack?');
    await say('one', answer);
    await say('two', 'Where did you eat?');
    await say('two', elsewhere);
    const ask = (members: object) => recall({ query: 'which workshop had the cracked kiln', ...members });
    const facts = await ask({});
    expect(part(facts, 'lexical', answer)).to.be.above(part(facts, 'lexical', elsewhere) as number);
    for (const members of [{ depth: 0 }, { include_neighbors: false }, { weights: { lexical: 1 } }]) {
      const alone = await ask(members);
      expect(part(alone, 'lexical', answer), JSON.stringify(members)).to.equal(part(alone, 'lexical', elsewhere));
    }
  });

  it('gives the same scores to readers who cannot see the other facts of the session', async () => {
    const outsider = await node.addKey({ scopes: ['public'] });
    // Vectors are computed in the background.
    const question = { query: 'Did the kiln of Mira crack?', weights: { lexical: 0.6, graph: 0.4 } };
    const ask = async () =>
      (await recall(question, outsider)).map(({ fact, score_breakdown }) => [fact.id, score_breakdown]);
    await say('evening', 'Mira: my kiln is a small one.', { scope: 'public' });
    const before = await ask();
    expect(before).to.have.length(1);
    await say('evening', 'Jonas: mine cracked.');
    expect(await ask()).to.deep.equal(before);
    await say('evening', 'Jonas: mine cracked in June.', { scope: 'public' });
    expect(await ask()).not.to.deep.equal(before);
  });
});
