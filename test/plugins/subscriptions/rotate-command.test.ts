import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

const NODE_KEY = Buffer.alloc(32, 9).toString('base64url');

describe('the command rotate webhook', () => {
  let at: ServedNode;
  let id: string;
  let first: string;
  beforeEach(async () => {
    at = await startServedNode({ SVC_WEBHOOK_ALLOW_PRIVATE: 'true', SVC_NODE_PRIVATE_KEY: NODE_KEY });
    const { entity_uri: me } = (await at.ask('GET', '/v1/me')).body;
    const grant = { issuer: me, subject: me, verb: 'subscribe', object: 'svc://facts/scope:company' };
    const token = await at.ask('POST', '/v1/federation/capability-tokens', grant);
    expect(token.status, JSON.stringify(token.body)).to.equal(201);
    const wanted = { target: 'scope:company', on_change: 'webhook', webhook_url: 'http://127.0.0.1:8443/in' };
    const made = await at.ask('POST', '/v1/subscriptions', wanted, undefined, {
      'X-Svc-Capability': token.body.token_json,
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    ({ id, secret: first } = made.body);
  });
  afterEach(() => at.stop());

  const shown = async () => (await at.ask('GET', `/v1/subscriptions/${id}`)).body;

  it('shows the new secret once, and the time at which the former secret expires', async () => {
    const { exitCode, stdout, stderr } = await at.run(['rotate', 'webhook', id, '--overlap', '3600']);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^whsec_\S+\n$/);
    expect(stdout.trim()).not.to.equal(first);
    const { former_secret_ends_at: end } = await shown();
    expect(stderr).to.contain(`the former one signs too until ${end}`).and.not.to.contain(stdout.trim());
  });

  it('writes the secret to a private file, and ends the former secret at once', async () => {
    const out = join(at.folder, 'webhook.secret');
    const { exitCode, stdout, stderr } = await at.run(['rotate', 'webhook', id, '--overlap', '0', '--out', out]);
    expect([exitCode, stdout]).to.deep.equal([0, '']);
    expect(statSync(out).mode & 0o777).to.equal(0o600);
    const secret = readFileSync(out, 'utf8').trim();
    expect(secret).to.match(/^whsec_/);
    expect(stderr).to.contain('the former one signs no more').and.not.to.contain(secret);
    expect(await shown()).not.to.have.property('former_secret_ends_at');
  });

  it('never overwrites a file, and leaves the secret unchanged if the file exists', async () => {
    const out = join(at.folder, 'taken.secret');
    writeFileSync(out, 'mine');
    const { exitCode, stderr } = await at.run(['rotate', 'webhook', id, '--out', out]);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('never overwritten');
    expect(readFileSync(out, 'utf8')).to.equal('mine');
    expect(await shown()).not.to.have.property('former_secret_ends_at');
  });

  it('says how to get a known secret when no reply comes', async () => {
    const proxy = await startCuttingProxy(at.url);
    const variables = { SVC_URL: proxy.url };
    proxy.cutAnswerTo('/rotate-secret');
    const cut = await at.run(['rotate', 'webhook', id], undefined, { variables });
    expect([cut.exitCode, cut.stdout]).to.deep.equal([1, '']);
    expect(cut.stderr).to.contain('may be replaced already').and.to.contain('the same command again');
    const again = await at.run(['rotate', 'webhook', id], undefined, { variables });
    expect(again.stdout, again.stderr).to.match(/^whsec_/);
    await proxy.close();
  });

  it('prints the error of the node for an unknown subscription', async () => {
    const { exitCode, stdout, stderr } = await at.run(['rotate', 'webhook', 'none']);
    expect([exitCode, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^error: /);
  });
});
