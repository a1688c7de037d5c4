import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const BODY = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:w',
  valid_from: '2026-01-01T00:00:00+02:00',
  valid_until: '2027-01-01T00:00:00+02:00',
};

forEachStore('An attacker tries to change a stored fact (I3)', () => {
  let node: TestNode;
  let key: string;
  let id: string;
  let original: string;
  beforeEach(async () => {
    node = await startTestNode();
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    id = (await node.request('POST', '/v1/facts', { key, body: BODY })).body.id;
    original = (await node.request('GET', `/v1/facts/${id}`, { key })).text;
  });
  afterEach(async () => {
    expect((await node.request('GET', `/v1/facts/${id}`, { key })).text).to.equal(original);
    await node.stop();
  });

  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
    it(`with ${method}, which no fact supports`, async () => {
      const reply = await node.request(method, `/v1/facts/${id}`, { key, body: { ...BODY, confidence: 0.5 } });
      expect(reply.status).to.equal(405);
      expect(reply.headers['allow']).to.equal('GET');
    });
  }

  it('with an assertion that contains the id, stamp and content id of the fact: it becomes another fact', async () => {
    const { id: known, hlc, cid } = JSON.parse(original);
    const body = {
      ...BODY,
      value: { type: 'string', v: 'CEO', interpret_as: 'content' },
      confidence: 0.9,
      id: known,
      hlc,
      cid,
    };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.status).to.equal(201);
    expect(reply.body.id).not.to.equal(known);
    expect(reply.body.hlc).not.to.equal(hlc);
    expect(reply.body.cid).not.to.equal(cid);
  });

  it('with a later expiry than before: the first expiry remains', async () => {
    const body = {
      entity: id,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: '2030-01-01T00:00:00Z' },
      source: 'agent:w',
    };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    node.clock.setNowMs(Date.UTC(2027, 0, 2));
    const admin = await node.addKey();
    expect((await node.request('GET', '/v1/facts?entity=user:alice', { key: admin })).body.total).to.equal(0);
    node.clock.setNowMs(Date.UTC(2026, 2, 2, 9));
  });

  it('with an SQL statement, which the database refuses', async () => {
    const store = node.kernel.get(FactStore);
    for (const change of ['update', 'delete'] as const) {
      const attempt = store.write('default', async (transaction) => {
        const facts = transaction.table('facts').where({ id });
        await (change === 'update' ? facts.update({ confidence: 0 }) : facts.delete());
      });
      const refusal = await attempt.then(
        () => 'done',
        () => 'refused',
      );
      expect(refusal, change).to.equal('refused');
    }
  });
});
