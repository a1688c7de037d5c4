import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from '../facts/fact-bodies.ts';

forEachStore('an assertion signed by an agent key', () => {
  let node: TestNode;
  let key: string;
  let keyId: string;
  let privateKey: KeyObject;

  beforeEach(async () => {
    node = await startTestNode({
      plugins: ['attestation', 'facts', 'keys'],
      settings: { attestation: { required: true } },
    });
    key = await node.addKey();
    const pair = generateKeyPairSync('ed25519');
    privateKey = pair.privateKey;
    const public_key = pair.publicKey.export({ format: 'jwk' }).x;
    keyId = (await node.request('POST', '/v1/auth/agent-keys', { key, body: { public_key } })).body.id;
  });

  afterEach(() => node.stop());

  const signature = (text: string): string => sign(null, Buffer.from(text), privateKey).toString('base64url');
  const post = (changes: Record<string, unknown>, text: string, as = key) =>
    node.request('POST', '/v1/facts', {
      key: as,
      body: factBody({ attestation: { key_id: keyId, signature: signature(text) }, ...changes }),
    });

  it('contains the id of the key', async () => {
    const { status, body } = await post({}, 'user:alice\nmemory:role\nstring\nCEO\nagent:w1');
    expect([status, body.attested_key_id]).to.deep.equal([201, keyId]);
    const read = await node.request('GET', `/v1/facts/${body.id}`, { key });
    expect(read.body.attested_key_id).to.equal(keyId);
  });

  it('is verified against the body as sent, before trimming', async () => {
    const reply = await post({ entity: ' user:alice ' }, ' user:alice \nmemory:role\nstring\nCEO\nagent:w1');
    expect([reply.status, reply.body.entity]).to.deep.equal([201, 'user:alice']);
    expect((await post({ entity: ' user:bob ' }, 'user:bob\nmemory:role\nstring\nCEO\nagent:w1')).status).to.equal(422);
  });

  it('writes null and booleans as JSON does', async () => {
    const none = await post({ value: { type: 'null' } }, 'user:alice\nmemory:role\nnull\nnull\nagent:w1');
    expect(none.status).to.equal(201);
    const yes = { value: { type: 'boolean', v: true }, relation: 'memory:on' };
    expect((await post(yes, 'user:alice\nmemory:on\nboolean\ntrue\nagent:w1')).status).to.equal(201);
  });

  it('is refused with a wrong signature, before its names and scope are checked', async () => {
    const wrong = await post({ relation: 'svc:received_from' }, 'something else');
    expect([wrong.status, wrong.body.code]).to.deep.equal([422, 'attestation_invalid']);
    expect(await storedFacts(node)).to.equal(0);
  });

  it('is refused with a key of another entity', async () => {
    const other = await node.addKey({ entityUri: 'agent:other' });
    const reply = await post({}, 'user:alice\nmemory:role\nstring\nCEO\nagent:w1', other);
    expect([reply.status, reply.body.code]).to.deep.equal([403, 'authorization']);
  });

  it('is required in batches too', async () => {
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: [factBody()] });
    expect(body.results[0].error.code).to.equal('attestation_required');
  });
});
