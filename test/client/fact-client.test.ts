import { expect } from 'chai';
import { AuthenticationError, ConflictError, type FactClient, NotFoundError } from '../../client/client.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { clientOf } from './loopback-fetch.ts';

forEachStore('the client of a node', () => {
  let node: TestNode;
  let client: FactClient;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'recall', 'search', 'keys', 'cards', 'graph'] });
    client = clientOf(node, { key: await node.addKey({ permissions: ['read', 'write'] }), source: 'agent:test' });
  });

  after(() => node.stop());

  it('asserts, contradicts, recalls and resolves', async () => {
    const first = await client.assert({ entity: 'user:alice', relation: 'memory:role', value: 'CEO' });
    expect(first).to.deep.include({ scope: 'company', confidence: 1, source: 'agent:test' });
    const second = await client.assert({ entity: 'user:alice', relation: 'memory:role', value: 'CTO' });
    expect(second.contradicted).to.equal(true);
    const [conflict] = await client.conflicts().take(1);
    expect(conflict?.members).to.have.members([first.id, second.id]);
    expect((await client.recall('role of alice')).facts).to.deep.equal([]);

    const id = conflict?.conflict_id ?? '';
    expect(await client.resolve(id, { winning_fact_id: second.id })).to.include({ conflict_status: 'resolved' });
    const recalled = await client.recall('role of alice');
    expect(recalled.facts.map(({ fact }) => fact.value.v)).to.deep.equal(['CTO']);
    expect(await rejection(client.resolve(id, { winning_fact_id: first.id }))).to.be.instanceOf(ConflictError);
  });

  it('returns the requested members of facts, but verifies only whole facts', async () => {
    const { id } = await client.assert({
      entity: 'user:noor',
      relation: 'memory:role',
      value: 'keeper of the harbour',
    });
    expect(await client.query({ entity: 'user:noor', fields: 'id,scope' }).take(2)).to.deep.equal([
      { id, scope: 'company' },
    ]);
    expect(await client.fact(id, { fields: 'id,relation' })).to.deep.equal({ id, relation: 'memory:role' });
    const question = { query: 'keeper of the harbour', scope: 'company', fields: ['id'] };
    const { facts } = await client.recall(question);
    expect(facts.map(({ fact }) => fact)).to.deep.include({ id });
    expect(await rejection(client.recall(question, { verify: 'full' }))).to.be.instanceOf(TypeError);
  });

  it('throws different errors for a refused key and an unknown fact', async () => {
    expect(await rejection(client.fact('nothing'))).to.be.instanceOf(NotFoundError);
    const stranger = clientOf(node, { key: 'not-a-key' });
    expect(await rejection(stranger.fact('nothing'))).to.be.instanceOf(AuthenticationError);
  });
});
