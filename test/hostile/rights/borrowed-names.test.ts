import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { trustOfFact } from '../../../plugins/source-trust/trust-of-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const RULES = { default: 0.4, sources: { 'agent:trusted': 0.9, 'agent:stranger': 0.1 } };

forEachStore('A writer asserts in the name of a more trusted source (I13, trust follows the asserter)', () => {
  let node: TestNode;
  beforeEach(() =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'rules.json');
      await writeFile(file, JSON.stringify(RULES));
      const plugins = ['attestation', 'keys', 'facts', 'recall', 'search', 'source-trust'];
      node = await startTestNode({ plugins, env: { SVC_TRUST_RULES_FILE: file } });
    }),
  );
  afterEach(() => node.stop());

  const FACT = { entity: 'user:a', relation: 'memory:n', value: { type: 'string', v: 'harbour' } };
  const trustIn = async (as: string, source: string, members: object = {}, key?: string): Promise<number> => {
    const body = { ...FACT, source, ...members };
    const reply = await node.request('POST', '/v1/facts', { key: key ?? (await node.addKey({ entityUri: as })), body });
    expect(reply.status, reply.text).to.equal(201);
    const read = await node.request('GET', `/v1/facts/${reply.body.id}`, { key: await node.addKey() });
    expect(read.body.source_trust).to.equal(reply.body.source_trust);
    return reply.body.source_trust;
  };

  it('by naming it: the fact gets the lower of the two trust values', async () => {
    expect(await trustIn('agent:stranger', 'agent:trusted')).to.equal(0.1);
    expect(await trustIn('agent:nobody', 'agent:trusted')).to.equal(0.4);
  });

  it('by naming it in capitals, or as a path below it', async () => {
    expect(await trustIn('agent:stranger', 'AGENT:TRUSTED')).to.equal(0.1);
    expect(await trustIn('agent:stranger', ' agent:trusted ')).to.equal(0.1);
  });

  it('with its own signature, which proves who asserted the fact, not its source', async () => {
    const key = await node.addKey({ entityUri: 'agent:stranger' });
    const pair = generateKeyPairSync('ed25519');
    const publicKey = pair.publicKey.export({ format: 'jwk' }).x;
    const registered = await node.request('POST', '/v1/auth/agent-keys', { key, body: { public_key: publicKey } });
    const text = 'user:a\nmemory:n\nstring\nharbour\nagent:trusted';
    const signature = sign(null, Buffer.from(text), pair.privateKey).toString('base64url');
    const attestation = { key_id: registered.body.id, signature };
    expect(await trustIn('agent:stranger', 'agent:trusted', { attestation }, key)).to.equal(0.1);
  });

  it('and a trusted writer does not raise the trust of a less trusted source that it names', async () => {
    expect(await trustIn('agent:trusted', 'agent:stranger')).to.equal(0.1);
    expect(await trustIn('agent:trusted', 'agent:trusted')).to.equal(0.9);
  });

  it('to rise in a recall: the borrowed name adds nothing to the score', async () => {
    await trustIn('agent:stranger', 'agent:trusted', { entity: 'user:borrowed' });
    await trustIn('agent:trusted', 'agent:trusted', { entity: 'user:real' });
    // The query ranks by words alone, because vectors arrive at random times and would change the scores.
    const body = { query: 'harbour', token_budget: 1_000, weights: { lexical: 1 } };
    const reply = await node.request('POST', '/v1/recall', { key: await node.addKey(), body });
    const shown = reply.body.facts.map(
      (one: { fact: { entity: string }; score_breakdown: { source_trust: number } }) => [
        one.fact.entity,
        one.score_breakdown.source_trust,
      ],
    );
    expect(shown).to.deep.equal([
      ['user:real', 0.95],
      ['user:borrowed', 0.55],
    ]);
  });
});

describe('A peer sends a fact that names a more trusted source (I13, trust follows the asserter)', () => {
  const names = createServiceNames('svc');
  const rules = new Map([
    ['agent:trusted', 0.9],
    ['svc:node:peer', 0.2],
  ]);
  const trust = { of: (key: string) => rules.get(key) ?? 0.4, unknown: 0.4 };
  const spoken = { sourceKey: 'agent:trusted', assertedBy: null, receivedFrom: null, attested: null };

  it('gets the trust of the peer, for any claim of the fact', () => {
    expect(trustOfFact({ ...spoken, receivedFrom: 'svc:node:peer' }, trust, names)).to.equal(0.2);
    expect(trustOfFact({ ...spoken, receivedFrom: 'svc:node:peer', attested: true }, trust, names)).to.equal(0.2);
  });

  it('gets the trust of an unknown source when its asserter is unknown', () => {
    expect(trustOfFact(spoken, trust, names)).to.equal(0.4);
    expect(trustOfFact({ ...spoken, attested: true }, trust, names)).to.equal(0.9);
  });
});
