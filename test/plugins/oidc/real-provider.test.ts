import { access, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportJWK, type JWK } from 'jose';
import { createSystemClock } from '../../../adapters/clock/system-clock.ts';
import { createNode, type Node } from '../../../config/create-node.ts';
import type { Clock } from '../../../ports/ports.ts';
import { type CommandResult, runInProcess } from '../../adapters/cli/run-in-process.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { freePort } from '../../kit/free-port.ts';
import { drawProviderKey } from '../../kit/oidc/fake-provider.ts';
import { type ProviderProcess, startProvider } from '../../kit/oidc/provider-process.ts';
import { type Person, signInOnPages } from '../../kit/oidc/sign-in-page.ts';

const CLIENT = 'fact-memory';

const drawPrivateKey = async (algorithm: string, kid: string): Promise<JWK> => {
  const { privateKey } = await drawProviderKey(algorithm, kid);
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: algorithm };
};

describe('a login at a real identity provider', function () {
  this.timeout(300_000);
  const system = createSystemClock();
  /** The number of milliseconds by which the monotonic clock of the node is ahead, so that tests need not wait. */
  let aheadMs = 0;
  const nodeClock: Clock = { ...system, monotonicMs: () => system.monotonicMs() + aheadMs };
  /** A clock that shortens every wait of a command to at most 20 ms. */
  const commandClock: Clock = { ...system, schedule: (ms, run) => system.schedule(Math.min(ms, 20), run) };

  let folder: string;
  let provider: ProviderProcess;
  let node: Node;
  let url: string;
  let env: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oidc-'));
    const key = await drawPrivateKey('RS256', 'first');
    provider = await startProvider({ keys: [key], algorithm: 'RS256', clientId: CLIENT });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    node = await createNode({
      env: {},
      inspectReplies: checkReplies,
      overrides: {
        node: { url },
        adapters: { store: { path: join(folder, 'node.db') }, transport: { port } },
        plugins: { oidc: { enabled: true, issuerUrl: provider.issuer, clientId: CLIENT } },
      },
      adapters: { clock: nodeClock, log: createMemoryLogger([]), extras: [quietBilling] },
    });
    await node.start();
    env = { SVC_URL: url, XDG_CONFIG_HOME: join(folder, 'config') };
  });
  after(async () => {
    await node?.stop();
    await provider?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the command `login`, and follows its instructions in a browser. */
  const login = async (
    argv: readonly string[],
    person: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<CommandResult & { page: string }> => {
    let seen = '';
    let page: Promise<string> | undefined;
    const onStderr = (text: string): void => {
      seen += text;
      const device = /Open (\S+) in a browser, and enter the code (\S+)/.exec(seen);
      const browser = /Open this address in a browser on this machine:\n(\S+)\n/.exec(seen);
      const address = device?.[1] ?? browser?.[1];
      if (page !== undefined || address === undefined) return;
      const who: Person = { login: person, ...(device?.[2] !== undefined && { userCode: device[2] }) };
      page = signInOnPages(address, who);
    };
    const clock = argv.includes('--browser') ? system : commandClock;
    const result = await runInProcess(['login', ...argv], { env: { ...env, ...more }, clock, onStderr });
    return { ...result, page: (await page) ?? '' };
  };
  const keyFiles = async (): Promise<string[]> => {
    const place = join(folder, 'config', 'fact-memory-node', 'keys');
    const names = await readdir(place).catch(() => []);
    return names.filter((name) => name.endsWith('.key')).map((name) => join(place, name));
  };
  const me = async (key: string) => {
    const response = await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('with a device code gives a key that later commands use until the logout', async () => {
    const { exitCode, stderr, stdout } = await login(
      ['--device', '--issuer', provider.issuer, '--client-id', CLIENT],
      'bob',
    );
    expect(exitCode, stderr).to.equal(0);
    expect(stderr).to.match(/Signed in as oidc:bob until \d{4}-/);
    const [file = ''] = await keyFiles();
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const key = (await readFile(file, 'utf8')).trim();
    expect(stdout + stderr).not.to.include(key);
    expect((await me(key)).body).to.include({ entity_uri: 'oidc:bob', oidc_sub: 'bob' });

    const fact = { entity: 'user:a', relation: 'memory:role', value: { type: 'string', v: 'x' }, source: 'oidc:bob' };
    const imported = await runInProcess(['import', '-'], { env, input: `${JSON.stringify(fact)}\n` });
    expect(imported.exitCode, imported.stderr + imported.stdout).to.equal(0);

    const ended = await runInProcess(['logout'], { env });
    expect([ended.exitCode, ended.stderr]).to.deep.equal([0, 'Signed out\n']);
    expect(
      await access(file).then(
        () => true,
        () => false,
      ),
    ).to.equal(false);
    expect((await me(key)).status).to.equal(401);
    const again = await runInProcess(['logout'], { env });
    expect([again.exitCode, again.stderr]).to.deep.equal([0, 'You are not signed in at this address\n']);
  });

  it('with a browser on this machine gives a key with the permissions of the person', async () => {
    const { exitCode, stderr, page } = await login(['--browser', '--permissions', 'read,write,admin'], 'alice');
    expect(exitCode, stderr).to.equal(0);
    expect(page).to.equal('You are signed in. You can close this window.\n');
    const [file = ''] = await keyFiles();
    const first = (await readFile(file, 'utf8')).trim();
    expect((await me(first)).body['permissions']).to.deep.equal(['admin', 'read', 'write']);
    // The next login on this machine replaces the key.
    expect((await login(['--browser'], 'alice')).exitCode).to.equal(0);
    expect(await keyFiles()).to.deep.equal([file]);
    expect((await me(first)).status).to.equal(401);
    expect((await me((await readFile(file, 'utf8')).trim())).status).to.equal(200);
    const variable = await runInProcess(['logout'], { env: { ...env, SVC_API_KEY: 'another-key-0123456789' } });
    expect(variable.stderr).to.equal('Signed out\n');
  });

  for (const algorithm of ['ES256', 'PS256', 'EdDSA']) {
    it(`continues to work when the provider has new keys, for ${algorithm}`, async () => {
      await provider.stop();
      const key = await drawPrivateKey(algorithm, `key-${algorithm}`);
      provider = await startProvider({ keys: [key], algorithm, clientId: CLIENT }, provider.issuer);
      aheadMs += 30_000;
      const { exitCode, stderr } = await login(['--browser'], 'carol');
      expect(exitCode, stderr).to.equal(0);
    });
  }

  it('is refused if the user expects another provider', async () => {
    const { exitCode, stderr } = await login(['--issuer', 'https://idp.example'], 'bob');
    expect(exitCode).to.equal(1);
    expect(stderr).to.include('another identity provider');
  });

  /** A node of a stranger, which names the good node's client and passes each sign-in on to the good node. */
  const startMiddleman = async (changes: object = {}) => {
    const taken: { status: number; text: string }[] = [];
    const server = createServer(async (request, response) => {
      const parts: Uint8Array[] = [];
      for await (const part of request) parts.push(part as Uint8Array);
      const at = `${url}${request.url}`;
      if (request.method === 'GET') {
        const metadata = (await (await fetch(at)).json()) as object;
        return response.end(JSON.stringify({ ...metadata, resource: address, ...changes }));
      }
      const asked = JSON.parse(Buffer.concat(parts).toString('utf8'));
      for (const permissions of [asked.permissions, ['read', 'write', 'admin']]) {
        for (const salt of [asked.salt, undefined]) {
          const body = JSON.stringify({ ...asked, permissions, salt });
          const reply = await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
          taken.push({ status: reply.status, text: await reply.text() });
        }
      }
      return response.writeHead(500).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { address, taken, close: () => server.close() };
  };

  for (const method of ['--device', '--browser']) {
    it(`sends a node in the middle no key for the node whose client it claims: ${method}`, async () => {
      const middleman = await startMiddleman();
      const { exitCode, stderr } = await login([method, '--url', middleman.address], 'alice');
      middleman.close();
      expect(exitCode).to.equal(1);
      // This provider does not sign the nonce of a device, so that its token is sent to no node.
      if (method === '--device') expect(stderr).to.contain('does not sign for which node');
      expect(middleman.taken.map(({ status }) => status)).to.deep.equal(
        method === '--device' ? [] : [401, 401, 401, 401],
      );
      for (const { text } of middleman.taken) expect(text).to.contain('invalid: ').and.not.to.contain('api_key');
    });
  }

  it('remembers provider and client of an address, and refuses others there', async () => {
    const middleman = await startMiddleman({ client_id: 'another-client' });
    const place = { SVC_URL: middleman.address };
    const one = await login(['--issuer', 'https://idp.example'], 'bob', place);
    expect(one.stderr).to.contain('another identity provider than the one you expect');
    const two = await login(['--client-id', CLIENT], 'bob', place);
    expect(two.stderr).to.contain('another client than the one you expect');
    middleman.close();

    const own = await startMiddleman({ resource: 'https://other.example' });
    expect((await login([], 'bob', { SVC_URL: own.address })).stderr).to.contain('has another address');
    own.close();
    const pins = (await readdir(join(folder, 'config', 'fact-memory-node', 'keys'))).filter((name) =>
      name.endsWith('.sign-in'),
    );
    expect(pins).to.have.lengthOf(1);
    const pin = join(folder, 'config', 'fact-memory-node', 'keys', pins[0] ?? '');
    expect(JSON.parse(await readFile(pin, 'utf8'))).to.deep.equal({ issuer: provider.issuer, clientId: CLIENT });
    await writeFile(pin, JSON.stringify({ issuer: provider.issuer, clientId: 'former-client' }));
    const changed = await login(['--browser'], 'bob');
    expect([changed.exitCode, changed.stderr.includes('another client than')]).to.deep.equal([1, true]);
    const named = await login(['--browser', '--issuer', provider.issuer, '--client-id', CLIENT], 'bob');
    expect(named.exitCode, named.stderr).to.equal(0);
    expect(await readFile(pin, 'utf8')).to.contain(CLIENT);
  });

  it('accepts only one method at a time', async () => {
    const { exitCode, stderr } = await login(['--device', '--browser'], 'bob');
    expect(exitCode).to.equal(1);
    expect(stderr).to.include('exclude one another');
  });

  it('reports that the node does not support sign-ins, or that the provider is unreachable', async () => {
    await provider.stop();
    const away = await login(['--browser'], 'bob');
    expect([away.exitCode, away.stderr.includes('no answer from')]).to.deep.equal([1, true]);
  });
});
