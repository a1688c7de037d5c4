import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

describe('the names of an assertion', () => {
  let node: TestNode;
  const fold = String.prototype.toLowerCase;

  afterEach(async () => {
    String.prototype.toLowerCase = fold;
    await node.stop();
  });

  it('are each converted to a match key once, for all plugins together', async () => {
    node = await startTestNode();
    const key = await node.addKey();
    const names = { entity: 'user:Folded-Once', relation: 'memory:Folded-Too', source: 'agent:Folded-Three' };
    const body = factBody(names);
    const folded: string[] = [];
    String.prototype.toLowerCase = function (this: string): string {
      const text = String(this);
      if (Object.values(names).includes(text)) folded.push(text);
      return fold.call(this);
    };
    const { status } = await node.request('POST', '/v1/facts', { key, body });
    String.prototype.toLowerCase = fold;
    expect(status).to.equal(201);
    expect(folded.sort()).to.deep.equal(Object.values(names).sort());
  });
});
