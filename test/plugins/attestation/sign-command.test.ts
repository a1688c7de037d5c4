import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from '../facts/fact-bodies.ts';

describe('the command sign', () => {
  let folder: string;
  let keyFile: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sign-'));
    keyFile = join(folder, 'agent.key');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const makeKey = () => runInProcess(['sign', '--new-key', keyFile]);
  const sign = (input: string) => runInProcess(['sign', '--key', keyFile, '--key-id', 'k1'], { input });

  it('makes a key that only its owner may read, prints its public half, and never replaces a key', async () => {
    const { exitCode, stdout, stderr } = await makeKey();
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^[A-Za-z0-9_-]{43}\n$/);
    expect((await stat(keyFile)).mode & 0o777).to.equal(0o600);
    const secret = await readFile(keyFile, 'utf8');
    expect(stderr).to.contain('/v1/auth/agent-keys').and.contain(stdout.trim()).and.not.contain(secret.trim());
    expect((await makeKey()).exitCode).to.equal(1);
    expect(await readFile(keyFile, 'utf8')).to.equal(secret);
  });

  it('signs all lines of a file or none, and names the invalid line', async () => {
    await makeKey();
    const good = JSON.stringify(factBody());
    const both = await sign(`${good}\n\n${good}\n`);
    expect([both.exitCode, both.stdout.trim().split('\n').length], both.stderr).to.deep.equal([0, 2]);
    for (const bad of [
      '{"entity":"user:a"}',
      '[]',
      'secret text',
      JSON.stringify(factBody({ value: { type: 'x' } })),
    ]) {
      const { exitCode, stdout, stderr } = await sign(`${good}\n${bad}\n`);
      expect([exitCode, stdout], bad).to.deep.equal([1, '']);
      expect(stderr).to.contain('line 2').and.not.contain('secret');
    }
    expect((await sign('')).exitCode).to.equal(1);
  });

  it('names the missing argument', async () => {
    const cases: readonly (readonly string[])[] = [
      ['sign'],
      ['sign', '--key', keyFile, '--key-id', 'k1'],
      ['sign', '--new-key', keyFile, '--key-id', 'k1'],
    ];
    for (const argv of cases) expect((await runInProcess(argv)).exitCode, argv.join(' ')).to.equal(1);
    await writeFile(keyFile, 'this-is-too-short-to-be-a-key');
    expect((await sign('{}')).stderr).to.contain('holds no key to sign with');
  });
});

forEachStore('an assertion that the command sign has signed', () => {
  it('is accepted by a node that requires signatures, but not after a change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sign-'));
    const node = await startTestNode({
      plugins: ['attestation', 'facts', 'keys'],
      env: { SVC_ATTESTATION_REQUIRED: 'true' },
    });
    try {
      const keyFile = join(folder, 'agent.key');
      const public_key = (await runInProcess(['sign', '--new-key', keyFile])).stdout.trim();
      const key = await node.addKey();
      const { body } = await node.request('POST', '/v1/auth/agent-keys', { key, body: { public_key } });
      const values = [{ type: 'string', v: 'two\nlines ä' }, { type: 'number', v: 1.5 }, { type: 'null' }];
      const bodies = values.map((value, at) => factBody({ relation: `memory:r${at}`, entity: ' user:alice ', value }));
      const input = bodies.map((one) => JSON.stringify(one)).join('\n');
      const run = await runInProcess(['sign', '-', '--key', keyFile, '--key-id', body.id], { input });
      expect(run.exitCode, run.stderr).to.equal(0);
      const signed = run.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      for (const one of signed) {
        const reply = await node.request('POST', '/v1/facts', { key, body: one });
        expect([reply.status, reply.body.attested_key_id], reply.text).to.deep.equal([201, body.id]);
      }
      const changed = await node.request('POST', '/v1/facts', { key, body: { ...signed[0], entity: 'user:bob' } });
      expect([changed.status, changed.body.code]).to.deep.equal([422, 'attestation_invalid']);
      expect(await storedFacts(node)).to.equal(3);
    } finally {
      await node.stop();
      await rm(folder, { recursive: true });
    }
  });
});
