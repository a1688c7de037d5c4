import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

forEachStore('an Idempotency-Key', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const post = (idempotencyKey: string, body: unknown, path = '/v1/facts', as = key) =>
    node.request('POST', path, { key: as, body, headers: { 'Idempotency-Key': idempotencyKey } });
  // A retraction is never a duplicate, so only the key can prevent a second one.
  const retraction = (changes: Record<string, unknown> = {}) => factBody({ confidence: 0, ...changes });

  it('returns the stored status and body, byte for byte, and marks the reply as repeated', async () => {
    const first = await post('k1', retraction());
    expect(first.headers).to.not.have.property('idempotency-replayed');
    await node.clock.advance(60_000);
    const again = await post('k1', retraction());
    expect(again.status).to.equal(201);
    expect(again.text).to.equal(first.text);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect(again.headers['content-type']).to.equal('application/json');
    expect(await storedFacts(node)).to.equal(1);
  });

  it('matches a repeated request by the content of its body, not by its spelling', async () => {
    const { entity, ...rest } = retraction();
    await post('k1', retraction());
    const reordered = await post('k1', JSON.stringify({ ...rest, entity }, null, 2));
    expect(reordered.headers['idempotency-replayed']).to.equal('true');
  });

  it('is refused with another body, and on another route', async () => {
    await post('k1', retraction());
    for (const reply of [
      await post('k1', retraction({ source: 'agent:w2' })),
      await post('k1', [retraction()], '/v1/facts/batch'),
    ]) {
      expect([reply.status, reply.body.code]).to.deep.equal([422, 'idempotency_mismatch']);
    }
    expect(await storedFacts(node)).to.equal(1);
  });

  it('is separate for each caller', async () => {
    const other = await node.addKey({ entityUri: 'agent:other' });
    await post('k1', retraction());
    const reply = await post('k1', retraction({ source: 'agent:w2' }), '/v1/facts', other);
    expect(reply.status).to.equal(201);
    const sameCaller = await node.addKey();
    expect((await post('k1', retraction(), '/v1/facts', sameCaller)).headers['idempotency-replayed']).to.equal('true');
  });

  it('expires after a day', async () => {
    const first = await post('k1', retraction());
    await node.clock.advance(DAY_MS - 1);
    expect((await post('k1', retraction())).body.id).to.equal(first.body.id);
    await node.clock.advance(1);
    const later = await post('k1', retraction());
    expect(later.status).to.equal(201);
    expect(later.body.id).to.not.equal(first.body.id);
  });

  it('stores only successful replies', async () => {
    const outside = await node.addKey({ entityUri: 'agent:narrow', scopes: ['public'] });
    expect((await post('k1', retraction(), '/v1/facts', outside)).status).to.equal(403);
    expect((await post('k1', retraction({ confidence: 2 }))).status).to.equal(422);
    expect((await post('k1', retraction({ scope: 'public' }), '/v1/facts', outside)).status).to.equal(201);
    expect((await post('k1', retraction())).headers).to.not.have.property('idempotency-replayed');
  });

  it('makes one of several parallel requests run, and the others get its reply', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => post('k1', retraction())));
    const stored = replies.filter(({ status }) => status === 201);
    const running = replies.filter(({ status }) => status === 409);
    expect(stored).to.have.lengthOf(1);
    expect(running).to.have.lengthOf(9);
    for (const { body } of running) expect(body.code).to.equal('idempotency_in_progress');
    expect((await post('k1', retraction())).text).to.equal(stored[0]?.text);
    expect(await storedFacts(node)).to.equal(1);
  });

  it('has 1 to 255 visible ASCII characters', async () => {
    for (const bad of ['', ' ', 'a b', 'é', 'a'.repeat(256)]) {
      const reply = await post(bad, retraction());
      expect([reply.status, reply.body.code], bad).to.deep.equal([400, 'validation']);
    }
    expect((await post('a'.repeat(255), retraction())).status).to.equal(201);
  });

  it('covers a whole batch, including rejected items', async () => {
    const items = [retraction(), factBody({ confidence: 7 }), retraction()];
    const first = await post('k1', items, '/v1/facts/batch');
    expect(first.body).to.include({ accepted: 2, rejected: 1 });
    const again = await post('k1', items, '/v1/facts/batch');
    expect(again.text).to.equal(first.text);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect(await storedFacts(node)).to.equal(2);
  });

  it('stores the reply to a batch of which no item was accepted', async () => {
    const items = [factBody({ confidence: 7 })];
    const first = await post('k1', items, '/v1/facts/batch');
    expect(first.body).to.include({ accepted: 0, rejected: 1 });
    const again = await post('k1', items, '/v1/facts/batch');
    expect([again.text, again.headers['idempotency-replayed']]).to.deep.equal([first.text, 'true']);
    expect((await post('k1', [retraction()], '/v1/facts/batch')).body.code).to.equal('idempotency_mismatch');
  });

  it('accepts a repeated body with a huge number in an undeclared member', async () => {
    const body = JSON.stringify(retraction({ attested: 0.125 })).replace('0.125', '1e999');
    expect((await post('k1', body)).status).to.equal(201);
    expect((await post('k1', body)).headers['idempotency-replayed']).to.equal('true');
  });

  it('works across two processes on one store', async () => {
    const second = await startTestNode({
      plugins: ['facts'],
      folder: node.folder,
      clock: node.clock,
      url: 'http://b:1',
    });
    try {
      const secondKey = await second.addKey();
      const headers = { 'Idempotency-Key': 'k1' };
      const replies = await Promise.all([
        post('k1', retraction()),
        second.request('POST', '/v1/facts', { key: secondKey, body: retraction(), headers }),
      ]);
      for (const { status } of replies) expect(status).to.equal(201);
      expect(replies[0].text).to.equal(replies[1].text);
      expect(await storedFacts(node)).to.equal(1);
    } finally {
      await second.stop();
    }
  });
});
