import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { exportLines } from '../../plugins/transfer/transfer-node.ts';

/** The limit of value bytes on one page of an export. */
const PAGE = 1024 * 1024;

forEachStore('A writer fills a page exactly to its end, so that an export might lose the next facts (I22)', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'keys', 'transfer'] });
  });
  afterEach(() => node.stop());

  it('with a number that needs more bytes in the store than it seems to: all facts are exported', async () => {
    const key = await node.addKey({ permissions: ['read', 'write'] });
    const say = async (relation: string, value: string): Promise<void> => {
      const members = `"entity":"user:alice","relation":"memory:${relation}","source":"agent:w1"`;
      const body = Buffer.from(`{${members},"value":${value}}`);
      const reply = await node.request('POST', '/v1/facts', { key, body });
      expect(reply.status, reply.text).to.equal(201);
    };
    await say('long', JSON.stringify({ type: 'text', v: 'x'.repeat(PAGE - '-0'.length) }));
    await say('zero', '{"type":"number","v":-0}');
    await say('last', '{"type":"string","v":"the last word"}');
    const relations = (await exportLines(node)).flatMap((line) => JSON.parse(line).relation ?? []);
    expect(relations).to.deep.equal(['memory:long', 'memory:zero', 'memory:last']);
  });
});
