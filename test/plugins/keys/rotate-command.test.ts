import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SubjectKeys } from '../../../plugins/keys/keys-api.ts';
import { type CuttingProxy, startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

const HOUR_MS = 3_600_000;

describe('the command rotate key', () => {
  let at: ServedNode;
  let key: string;
  let id: string;
  beforeEach(async () => {
    at = await startServedNode();
    key = 'the-key-of-the-indexer'.padEnd(40, '.');
    const body = { raw_key: key, entity_uri: 'agent:indexer', permissions: ['read'] };
    ({ id } = (await at.ask('POST', '/v1/auth/keys', body)).body);
  });
  afterEach(() => at.stop());

  const me = async (as: string) => at.ask('GET', '/v1/me', undefined, as);

  it('shows a new key with the same permissions once, and both keys are valid for a while', async () => {
    const { exitCode, stdout, stderr } = await at.run(['rotate', 'key'], key);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^[0-9a-f]{64}\n$/);
    expect(stderr).to.contain('for agent:indexer').and.to.contain(`The former key ${id} ends`);
    expect(stderr).not.to.contain(stdout.trim());
    expect((await me(stdout.trim())).body).to.deep.equal((await me(key)).body);
  });

  it('rotates a given key, writes the new one to a private file, and revokes the former key at once', async () => {
    const out = join(at.folder, 'new.key');
    const { exitCode, stdout, stderr } = await at.run(['rotate', 'key', id, '--overlap', '0', '--out', out]);
    expect([exitCode, stdout]).to.deep.equal([0, '']);
    expect(statSync(out).mode & 0o777).to.equal(0o600);
    const fresh = readFileSync(out, 'utf8').trim();
    expect(stderr).to.contain(`written to ${out}`).and.not.to.contain(fresh);
    expect([(await me(key)).status, (await me(fresh)).status]).to.deep.equal([401, 200]);
  });

  it('never overwrites a file, and leaves the key unchanged if the file exists', async () => {
    const out = join(at.folder, 'taken.key');
    writeFileSync(out, 'mine');
    const { exitCode, stderr } = await at.run(['rotate', 'key', '--overlap', '0', '--out', out], key);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('never overwritten');
    expect(readFileSync(out, 'utf8')).to.equal('mine');
    expect((await me(key)).status).to.equal(200);
  });

  it('is refused for a key of a login, even to administrators, and leaves no file', async () => {
    const { rawKey, record } = await at.node.kernel.get(SubjectKeys).issue({
      oidcSub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      client: null,
      permissions: ['read', 'write'],
      roles: ['writer'],
      lifeMs: HOUR_MS,
    });
    const out = join(at.folder, 'login.key');
    for (const [argv, as] of [
      [['rotate', 'key', '--out', out], rawKey],
      [['rotate', 'key', record.id, '--out', out], at.adminKey],
    ] as const) {
      const { exitCode, stdout, stderr } = await at.run(argv, as);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain('came from an identity provider cannot be rotated').and.to.contain('log in again');
      expect(existsSync(out)).to.equal(false);
    }
    const body = { raw_key: 'a-key-for-longer-than-the-login'.padEnd(40, '.') };
    const refused = await at.ask('POST', '/v1/auth/keys/current/rotate', body, rawKey);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
    expect((await me(rawKey)).status).to.equal(200);
    expect((await me(body.raw_key)).status).to.equal(401);
  });

  describe('without a reply, or without a place for the key', () => {
    let proxy: CuttingProxy;
    let given: readonly string[];
    let out: string;
    beforeEach(async () => {
      proxy = await startCuttingProxy(at.url);
      const former = join(at.folder, 'former.key');
      writeFileSync(former, key);
      given = ['rotate', 'key', '--overlap', '0', '--url', proxy.url, '--key-file', former];
      out = join(at.folder, 'new.key');
    });
    afterEach(() => proxy.close());

    it('keeps the file of a key that the node may have taken', async () => {
      proxy.cutAnswerTo('/rotate');
      const { exitCode, stdout, stderr } = await at.run([...given, '--out', out]);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain('may be replaced already').and.to.contain(`written to ${out}`);
      const fresh = readFileSync(out, 'utf8').trim();
      expect(stderr).not.to.contain(fresh);
      expect([(await me(key)).status, (await me(fresh)).status]).to.deep.equal([401, 200]);
    });

    it('shows a key that the node may have taken', async () => {
      proxy.cutAnswerTo('/rotate');
      const { exitCode, stdout, stderr } = await at.run(given);
      expect(exitCode, stderr).to.equal(1);
      expect(stderr).to.contain('shown once on standard output');
      expect([(await me(key)).status, (await me(stdout.trim())).status]).to.deep.equal([401, 200]);
    });

    it('shows a key that cannot be saved', async () => {
      const variables = { XDG_CONFIG_HOME: join(at.folder, 'former.key') };
      const { exitCode, stdout } = await at.run([...given, '--keep'], key, { variables });
      expect(exitCode).to.equal(1);
      expect((await me(stdout.trim())).status).to.equal(200);
    });

    it('leaves no file when no node has got the request', async () => {
      await proxy.close();
      const { exitCode, stdout } = await at.run([...given, '--out', out]);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(existsSync(out)).to.equal(false);
      expect((await me(key)).status).to.equal(200);
    });
  });

  it('shows no new key where the file of the former one cannot be read, because it has sent nothing', async () => {
    const variables = { XDG_CONFIG_HOME: join(at.folder, 'config') };
    await at.run(['rotate', 'key', '--keep'], key, { variables });
    const keys = join(at.folder, 'config', 'fact-memory-node', 'keys');
    for (const name of readdirSync(keys)) {
      rmSync(join(keys, name));
      mkdirSync(join(keys, name));
    }
    const { exitCode, stdout, stderr } = await at.run(['rotate', 'key'], '', { variables });
    expect([exitCode, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^error: \S+ is not a regular file\n/);
  });

  it('reports that the key does not exist', async () => {
    const { exitCode, stdout } = await at.run(['rotate', 'key', '00000000-0000-4000-8000-000000000000']);
    expect([exitCode, stdout]).to.deep.equal([1, '']);
  });
});
