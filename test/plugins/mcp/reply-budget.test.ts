import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { estimateTokens } from '../../../plugins/recall/fact-line.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { call, connectClient, type Loose, made } from './mcp-kit.ts';

const LONG = 'a long line of the manual, with "quotes" 🎉\n'.repeat(1_000);

const costOf = ({ content, structuredContent }: Loose): number =>
  Math.max(estimateTokens(content[0].text), estimateTokens(JSON.stringify(structuredContent)));

forEachStore('the reply of a tool within the token budget of the client', () => {
  let node: TestNode;
  let client: Client;
  let key: string;
  const facts: string[] = [];
  before(async () => {
    node = await startTestNode({ settings: { mcp: { profile: 'extended' } } });
    key = await node.addKey({ entityUri: 'agent:noor' });
    client = await connectClient(node, key);
    const items = Array.from({ length: 60 }, (_, at) => ({
      entity: 'user:many',
      relation: `memory:note${at}`,
      value: { type: 'string', v: `a note about the harbour ${at}` },
      source: 'agent:noor',
    }));
    const manual = Array.from({ length: 6 }, (_, at) => ({
      entity: 'doc:manual',
      relation: `memory:chapter${at}`,
      value: { type: 'text', v: `${at} ${LONG}` },
      source: 'agent:noor',
    }));
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: [...items, ...manual] });
    facts.push(...body.results.map(({ fact }: Loose) => fact.id));
  });
  after(async () => {
    await client.close();
    await node.stop();
  });

  it('stays within the budget of a recall as text and as JSON, and says which facts did not fit', async () => {
    for (const budget of [100, 500, 1_000, 2_000]) {
      for (const query of ['notes about the harbour', 'the manual with quotes']) {
        const result = await call(client, 'recall', { query, token_budget: budget });
        expect(costOf(result), `${query} ${budget}`).to.be.at.most(budget);
        const { omitted, facts: shown } = result.structuredContent;
        if (omitted.budget > 0) expect(result.content[0].text).to.match(/did not fit|^0 facts/);
        if (budget >= 500) expect(shown, `${query} ${budget}`).not.to.deep.equal([]);
      }
    }
  });

  it('cuts every list at the budget, and its cursor continues after the last row shown', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const asked = { entity: 'user:many', token_budget: 700, limit: 100, ...(cursor && { cursor }) };
      const result = await call(client, 'query', asked);
      expect(costOf(result)).to.be.at.most(700);
      seen.push(...result.structuredContent.facts.map(({ id }: Loose) => id));
      cursor = result.structuredContent.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).to.have.members(facts.slice(0, 60)).and.have.lengthOf(60);
    for (const [tool, args] of [
      ['query', { entity: 'doc:manual' }],
      ['query', { entity: 'doc:manual', token_budget: 100 }],
      ['card', { entity: 'doc:manual' }],
      ['forget', { entity: 'doc:manual' }],
      ['forget', { entity: 'user:many' }],
      ['fact', { id: facts[60] }],
      ['history', { entity: 'doc:manual' }],
      ['history', { entity: 'user:many' }],
      ['synthesis', { scope: 'local' }],
      ['assert', { entity: 'doc:other', relation: 'memory:x', value: LONG }],
    ] as const) {
      const result = await call(client, tool, args);
      expect(result.isError, `${tool} ${result.content[0].text}`).not.to.equal(true);
      expect(costOf(result), `${tool} ${JSON.stringify(args)}`).to.be.at.most(4_000);
    }
  });

  it('marks a shortened value; the tool fact reads the whole value from an offset', async () => {
    const { structuredContent, content } = await call(client, 'query', { relation: 'memory:chapter3' });
    const [fact] = structuredContent.facts;
    expect(fact.value_cut.length).to.equal(LONG.length + 2);
    expect(content[0].text).to.include('value_cut={"next_offset":');
    let whole = fact.value.v;
    let offset: number | undefined = fact.value_cut.next_offset;
    while (offset !== undefined) {
      const part = await made(client, 'fact', { id: fact.id, offset });
      whole += part.data.value.v;
      offset = part.next_offset;
    }
    expect(whole).to.equal(`3 ${LONG}`);
    const beyond = await call(client, 'fact', { id: fact.id, offset: LONG.length + 3 });
    expect(beyond.isError).to.equal(true);
  });

  it('is as long as tokens_used states, and at most the budget, for a recall over HTTP with fields', async () => {
    const asked = [300, 1_000, 5_000].flatMap((token_budget) =>
      // Answers of many lengths, because the number of digits of the cost shows in every fourth.
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 50].map((limit) => ({ token_budget, limit })),
    );
    for (const { token_budget, limit } of asked) {
      const body = { query: 'notes about the harbour', token_budget, limit, fields: 'compact' };
      const { text, body: recalled } = await node.request('POST', '/v1/recall', { key, body });
      expect(recalled.tokens_used).to.equal(estimateTokens(text)).and.to.be.at.most(token_budget);
    }
  });
});
