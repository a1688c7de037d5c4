import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { type ServingNode, Workplace } from '../../adapters/cli/spawned-program.ts';

const PATH = '/v1/federation/capability-tokens';
/** The plugins that a node without capability tokens needs. */
const NEEDED = new Set(['keys']);
const MINT = ['token', 'mint', '--subject', 'agent:admin', '--verb', 'subscribe', '--object', 'svc://facts'];

describe('the token commands', () => {
  let place: Workplace;
  let node: ServingNode;

  before(async () => {
    place = new Workplace();
    node = await place.serve();
  });

  after(() => place.dispose());

  const ask = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const key = readFileSync(place.path('data/admin.key'), 'utf8').trim();
    const answer = await fetch(`${node.url}${PATH}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const records = async (): Promise<Record<string, unknown>[]> =>
    (await place.run(['token', 'list', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('mint a token that a running node accepts, and print nothing else on standard output', async () => {
    const { exitCode, stdout, stderr } = await place.run([...MINT, '--ttl', '86400']);

    expect(exitCode, stderr).to.equal(0);
    const { token_id: id, expiry, issued_at: issued, issuer } = JSON.parse(stdout);
    expect(Date.parse(expiry) - Date.parse(issued)).to.equal(86_400_000);
    expect(issuer).to.equal('system:svc');
    expect(stderr).to.equal(`Token ${id} for agent:admin: it is not shown again; expires ${expiry}\n`);
    expect(await ask('/verify', { token_json: stdout })).to.deep.equal({ valid: true });
  });

  it('write a token to a file that only its owner can read, and read the token from it', async () => {
    const minted = await place.run([...MINT, '--out', 'indexer.token']);
    expect([minted.exitCode, minted.stdout]).to.deep.equal([0, '']);
    expect(statSync(place.path('indexer.token')).mode & 0o777).to.equal(0o600);
    const { signature } = JSON.parse(readFileSync(place.path('indexer.token'), 'utf8'));
    const shown = await place.run(['token', 'show', 'indexer.token']);
    expect(shown.exitCode).to.equal(0);
    expect(shown.stdout).to.match(
      /^state +good\nid +[0-9a-f-]{36}\nissuer +system:svc\nsubject +agent:admin\nverb +subscribe\n/,
    );
    for (const said of [minted.stderr, shown.stdout, shown.stderr]) expect(said).not.to.contain(signature);
  });

  it('never overwrite a file, and mint no token if the file exists', async () => {
    writeFileSync(place.path('taken.token'), 'mine');
    const before = await records();
    const { exitCode, stderr } = await place.run([...MINT, '--out', 'taken.token']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('never overwritten');
    expect(readFileSync(place.path('taken.token'), 'utf8')).to.equal('mine');
    expect(await records()).to.deep.equal(before);
  });

  it('revoke a token at once for a running node, and show that it is revoked', async () => {
    const text = (await place.run(MINT)).stdout;
    const { token_id: id } = JSON.parse(text);
    expect(await ask('/verify', { token_json: text })).to.include({ valid: true });
    expect((await place.run(['token', 'revoke', id])).exitCode).to.equal(0);
    expect(await ask('/verify', { token_json: text })).to.include({ valid: false, reason: 'token_revoked' });
    writeFileSync(place.path('ended.token'), text);
    const shown = await place.run(['token', 'show', 'ended.token']);
    expect(shown.exitCode).to.equal(1);
    expect(shown.stdout)
      .to.match(/^state +token_revoked: it was revoked\n/)
      .and.to.match(/\nrevoked +\S+Z\n$/);
    expect((await place.run(['token', 'revoke', id])).stderr).to.contain('already revoked');
    expect((await place.run(['token', 'list'])).stdout).to.contain(id);
  });

  it('report that a token is forged, without showing its claims', async () => {
    const text = (await place.run(MINT)).stdout.replace('agent:admin', 'agent:thief');
    writeFileSync(place.path('forged.token'), text);
    const { exitCode, stdout } = await place.run(['token', 'show', 'forged.token']);

    expect([exitCode, stdout]).to.deep.equal([1, 'state  token_invalid: bad signature\n']);
  });

  for (const [flags, complaint] of [
    [['mint'], "required option '--subject <uri>'"],
    [[...MINT.slice(1, -3), 'fly', '--object', 'a'], 'subscribe, tombstone:read'],
    [[...MINT.slice(1), '--ttl', '1.5'], 'whole number of seconds'],
    [[...MINT.slice(1), '--ttl', '7776001'], '90 days'],
    [[...MINT.slice(1), '--expires', '2999-01-01T00:00:00Z'], '90 days'],
    [[...MINT.slice(1), '--expires', 'tomorrow'], 'RFC 3339'],
    [['revoke', 'nobody'], 'no such token'],
    [['show', 'nowhere.token'], 'nowhere.token'],
  ] as const) {
    it(`refuse "token ${flags.join(' ')}" with the reason`, async () => {
      const { exitCode, stdout, stderr } = await place.run(['token', ...flags]);

      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain(complaint).and.not.to.contain('    at ');
    });
  }

  it('require the plugin capability-tokens', async () => {
    const plugins = Object.fromEntries(Object.keys(PLUGIN_CATALOG).map((name) => [name, NEEDED.has(name)]));
    writeFileSync(place.path('off.json'), JSON.stringify({ plugins }));
    const { exitCode, stderr } = await place.run(['token', 'list', '--config', 'off.json']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('the plugin "capability-tokens" is off').and.to.contain('hint:');
  });
});

describe('rotating the key of a node', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = new Workplace();
    await place.run(['init']);
  });
  afterEach(() => place.dispose());

  it('keeps the old key as a retired key, and tokens signed by it remain valid', async () => {
    const text = (await place.run(MINT)).stdout;
    writeFileSync(place.path('old.token'), text);
    const before = readFileSync(place.path('data/node.key'), 'utf8');
    const { exitCode, stdout, stderr } = await place.run(['rotate', 'node-key']);
    expect(exitCode, stderr).to.equal(0);
    const [, retired, current] = /^Retired {4}(\S{43})\nCurrent {4}(\S{43})\n$/.exec(stdout) ?? [];
    expect(retired).not.to.equal(current);
    expect(stderr).to.contain('within seconds');
    const after = readFileSync(place.path('data/node.key'), 'utf8');
    expect(after).not.to.equal(before);
    for (const secret of [before, after]) expect(stdout + stderr).not.to.contain(secret.trim());
    expect((await place.run(['token', 'show', 'old.token'])).exitCode).to.equal(0);
    const node = await place.serve();
    const metadata = (await (await fetch(`${node.url}/.well-known/svc`)).json()) as Record<string, unknown>;
    expect(metadata['federation_pubkey']).to.equal(current);
    const fresh = (await place.run(MINT)).stdout;
    writeFileSync(place.path('new.token'), fresh);
    for (const file of ['old.token', 'new.token']) {
      expect((await place.run(['token', 'show', file])).exitCode, file).to.equal(0);
    }
  });

  it('prints no warning, although the command raises the signal that serving processes act on', async () => {
    const { exitCode, stderr } = await place.runApart(['rotate', 'node-key']);
    expect(exitCode, stderr).to.equal(0);
    expect(stderr).to.equal('Running processes of the node sign by the new key within seconds.\n');
  });

  it('is refused if an environment variable sets the key', async () => {
    const env = { SVC_NODE_PRIVATE_KEY: Buffer.alloc(32, 5).toString('base64url') };
    const { exitCode, stderr } = await place.run(['rotate', 'node-key'], env);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('SVC_NODE_PRIVATE_KEY').and.to.contain('hint:');
    expect(stderr).not.to.contain(env.SVC_NODE_PRIVATE_KEY);
  });
});
