import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

const COMPOSED = 'person:Jos\u00e9';
const DECOMPOSED = 'person:JOSE\u0301';

forEachStore('spellings of one name', () => {
  let node: TestNode;
  let key: string;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'graph'] });
    key = await node.addKey();
  });

  after(() => node.stop());

  const assert = async (changes: Record<string, unknown>) =>
    (await node.request('POST', '/v1/facts', { key, body: factBody(changes) })).body;
  const found = async (query: Record<string, string>): Promise<string[]> => {
    const { body } = await node.request('GET', `/v1/facts?${new URLSearchParams(query)}`, { key });
    return body.facts.map(({ id }: { id: string }) => id).sort();
  };

  it('find the same facts, and appear in replies as they were written', async () => {
    const names = [COMPOSED, DECOMPOSED, 'Person:jose\u0301'];
    const facts = [];
    for (const [at, entity] of names.entries()) facts.push(await assert({ entity, relation: `memory:city${at}` }));
    expect(facts.map(({ entity }) => entity)).to.deep.equal(names);
    const ids = facts.map(({ id }) => id).sort();
    for (const entity of names) expect(await found({ entity })).to.deep.equal(ids);
  });

  it('are equal in relations, sources and references', async () => {
    const relation = 'memory:caf\u00e9';
    const { id } = await assert({ entity: 'user:rel', relation: 'memory:CAFE\u0301', source: 'agent:Rene\u0301' });
    expect(await found({ entity: 'user:rel', relation })).to.deep.equal([id]);
    expect(await found({ source: 'agent:ren\u00e9' })).to.deep.equal([id]);
    const ref = { type: 'ref', v: DECOMPOSED };
    await assert({ entity: 'user:rel', relation: 'rel:knows', value: ref });
    const { body } = await node.request('GET', `/v1/graph/neighbors?entity=${encodeURIComponent(COMPOSED)}`, { key });
    expect(body.neighbors.map(({ entity }: { entity: string }) => entity)).to.deep.equal(['user:rel']);
  });

  it('contradict each other, and a retraction ends them all', async () => {
    const relation = 'memory:age';
    await assert({ entity: COMPOSED, relation, value: { type: 'number', v: 41 } });
    const second = await assert({ entity: DECOMPOSED, relation, value: { type: 'number', v: 42 } });
    expect(second.contradicted).to.equal(true);
    const retraction = await assert({ entity: COMPOSED, relation, value: { type: 'null', v: null } });
    expect(await found({ entity: DECOMPOSED, relation })).to.deep.equal([retraction.id]);
  });
});
