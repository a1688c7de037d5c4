import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search'];
const QUERY = 'calcium mitochondria pore';
const FOUND_BY_WORDS = [
  'The mitochondria of muscle cells swell when calcium rises',
  'Calcium overload opens a pore in mitochondria of the heart',
  'Pore opening in mitochondria ends the life of heart cells',
];
/** A text without any word of the query. */
const ALIKE = 'Swelling organelles of the muscle lose their membrane and cells of the heart die';
const OTHERS = ['A recipe for pea soup with mint', 'The harbour closes at nine in winter', 'Nine lanterns hung there'];

forEachStore('a query vector that feedback from found texts has moved', () => {
  let node: TestNode;
  let writer: string;
  let reader: string;
  let written: number;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    writer = await node.addKey();
    reader = await node.addKey({ scopes: ['company'] });
    written = 0;
    for (const text of [...FOUND_BY_WORDS, ALIKE, ...OTHERS]) await say(text);
  });
  afterEach(() => node.stop());

  const say = async (v: string, members = {}): Promise<void> => {
    written += 1;
    const body = {
      entity: `doc:${written}`,
      relation: 'doc:abstract',
      value: { type: 'text', v },
      source: 'agent:s',
      scope: 'company',
      ...members,
    };
    const reply = await node.request('POST', '/v1/facts', { key: writer, body });
    expect(reply.status, reply.text).to.equal(201);
  };

  /** The stage scores of each text, once all texts have vectors. */
  const recalled = async (): Promise<Record<string, readonly number[]>> => {
    const sees = async (key: string, body: object) => {
      const reply = await node.request('POST', '/v1/recall', { key, body: { token_budget: 5_000, ...body } });
      expect(reply.status, reply.text).to.equal(200);
      return reply.body;
    };
    const last = `the last text ${written}`;
    await say(last, { scope: 'local' });
    await comesTrue(async () => {
      await node.clock.advance(2_000);
      const { facts } = await sees(writer, { query: last, weights: { vector: 1 } });
      return facts.some(({ fact }: ScoredJson) => fact.value.v === last);
    });
    const { facts } = await sees(reader, { query: QUERY });
    return Object.fromEntries(
      facts.map(({ fact, score_breakdown: { lexical, semantic, graph } }: ScoredJson) => [
        fact.value.v,
        [lexical, semantic, graph],
      ]),
    );
  };
  interface ScoredJson {
    readonly fact: { readonly value: { readonly v: string } };
    readonly score_breakdown: { readonly lexical: number; readonly semantic: number; readonly graph: number };
  }

  it('finds texts similar to those that were found by words', async () => {
    const found = await recalled();
    expect(found).to.include.keys(...FOUND_BY_WORDS, ALIKE);
    for (const text of OTHERS) expect(found[text]?.[1] ?? 0, text).to.be.below(found[ALIKE]?.[1] as number);
  });

  it('is not moved by a text that the caller may not see', async () => {
    const before = await recalled();
    for (const text of FOUND_BY_WORDS) await say(`${QUERY}: ${text}`, { scope: 'local' });
    await say(`${QUERY} ${OTHERS[0]}`, { scope: 'team' });
    expect(await recalled()).to.deep.equal(before);
  });

  it('is moved by the remaining texts if the best ones are contradicted', async () => {
    const rivals = { entity: 'doc:contested' };
    await say(`${QUERY} in the soup`, rivals);
    await say(`${QUERY} in the harbour`, rivals);
    const found = await recalled();
    expect(Object.keys(found).filter((text) => text.startsWith(QUERY))).to.deep.equal([]);
    expect(found[ALIKE]?.[1]).to.be.above(0);
  });
});
