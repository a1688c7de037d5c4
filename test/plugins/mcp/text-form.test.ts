import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { call, connectClient, made } from './mcp-kit.ts';

describe('the text form of a tool result', () => {
  let node: TestNode;
  let client: Client;
  before(async () => {
    node = await startTestNode();
    client = await connectClient(node, await node.addKey({ entityUri: 'agent:noor' }));
    for (const value of [8443, '8443']) {
      await made(client, 'assert', { entity: 'service:billing', relation: 'memory:port', value });
    }
  });
  after(async () => {
    await client.close();
    await node.stop();
  });

  it('states which facts a recall omitted, and which call returns them', async () => {
    const { content, structuredContent } = await call(client, 'recall', { query: 'service billing port' });
    expect(structuredContent.omitted.contradicted).to.equal(2);
    expect(content[0].text).to.match(/^Recalled 0 facts; 2 more in an open contradiction: call conflicts/);
  });

  it('marks contradicted facts', async () => {
    const asked = { entity: 'service:billing', include_contradicted: true };
    for (const [tool, args] of [
      ['query', asked],
      ['recall', { query: 'service billing port', include_contradicted: true }],
    ] as const) {
      const { content } = await call(client, tool, args);
      const lines = content[0].text.split('\n').filter((line: string) => line.includes('service:billing'));
      expect(lines, tool).to.have.lengthOf(2);
      for (const line of lines) expect(line, tool).to.match(/\| contradicted/);
    }
  });

  it('marks an expired fact, and shows sources and the type of a reference', async () => {
    const role = { entity: 'user:ines', relation: 'rel:manages' };
    const valid_until = new Date(node.clock.nowMs() + 1_000).toISOString();
    const first = await made(client, 'assert', { ...role, value: 'user:tom', value_type: 'ref', valid_until });
    const derived = { relation: 'memory:x', value: 'y', derived_from: [first.fact.id] };
    await made(client, 'assert', { entity: 'user:ines', ...derived });
    await node.clock.advance(2_000);
    const { content } = await call(client, 'query', { entity: 'user:ines', include_expired: true });
    expect(content[0].text)
      .to.match(/ref "user:tom".*expired/)
      .and.match(/derived_from=/);
  });

  it('marks a fact whose valid_from is in the future', async () => {
    const valid_from = new Date(node.clock.nowMs() + 1_000).toISOString();
    await made(client, 'assert', { entity: 'user:ines', relation: 'memory:role', value: 'judge', valid_from });
    const shown = async (): Promise<string> => {
      const { content } = await call(client, 'query', { entity: 'user:ines', include_expired: true });
      return content[0].text.split('\n').find((line: string) => line.includes('judge'));
    };
    expect(await shown())
      .to.include(`valid_from="${valid_from}"`)
      .and.include('not_yet_valid');
    await node.clock.advance(1_000);
    expect(await shown()).to.not.include('not_yet_valid');
  });

  it('contains every member of the JSON form', async () => {
    const { content, structuredContent } = await call(client, 'conflicts');
    const [conflict] = structuredContent.conflicts;
    for (const name of Object.keys(conflict).filter((key) => !/^(conflict_id|status|fact_[ab])$/.test(key))) {
      expect(content[0].text).to.include(`${name}=`);
    }
  });
});
