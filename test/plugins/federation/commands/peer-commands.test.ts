import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServingNode, type Variables, Workplace } from '../../../adapters/cli/spawned-program.ts';
import { freePort } from '../../../kit/free-port.ts';

/** A node with the working folder and environment in which its operator runs commands. */
interface Desk {
  readonly place: Workplace;
  readonly env: Variables;
  readonly url: string;
  readonly node: ServingNode;
}

const openDesk = async (variables: Variables = {}): Promise<Desk> => {
  const place = new Workplace();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    SVC_PORT: String(port),
    SVC_NODE_URL: url,
    SVC_FEDERATION_ENABLED: '1',
    SVC_FEDERATION_INSECURE: '1',
    ...variables,
  };
  return { place, env, url, node: await place.serve(undefined, env) };
};

const run = ({ place, env }: Desk, ...words: readonly string[]) => place.run(['peer', ...words], env);

/** Copies a file from the working folder of one operator to that of another. */
const carry = (from: Desk, to: Desk, name: string): void =>
  writeFileSync(to.place.path(name), readFileSync(from.place.path(name)));

const peersOf = async (desk: Desk): Promise<Record<string, unknown>[]> =>
  (await run(desk, 'list', '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const nextCommand = (text: string, name: string): readonly string[] =>
  (text.split('\n').find((line) => line.includes(`fact-memory-node ${name}`)) ?? '')
    .split('fact-memory-node peer ')[1]
    ?.split(' ') ?? [];

describe('the peer commands', () => {
  let alpha: Desk;
  let beta: Desk;
  beforeEach(async () => {
    [alpha, beta] = await Promise.all([openDesk(), openDesk()]);
  });
  afterEach(async () => {
    await alpha.place.dispose();
    await beta.place.dispose();
  });

  it('connect two nodes, and each command prints the next step', async () => {
    const declared = await run(alpha, 'declare', beta.url, '--out', 'alpha.json');
    expect([declared.exitCode, declared.stdout], declared.stderr).to.deep.equal([0, '']);
    expect(declared.stderr).to.contain('waits for the declaration of the other side');
    carry(alpha, beta, 'alpha.json');
    const added = await run(beta, ...nextCommand(declared.stderr, 'peer add alpha.json'));
    expect(added.stderr).to.contain('is verified').and.to.contain(`peer declare ${alpha.url} --out ours.json`);
    const back = await run(beta, ...nextCommand(added.stderr, 'peer declare'));
    expect(back.stderr).to.contain('is active: this node gives it facts of scope public');
    carry(beta, alpha, 'ours.json');
    const closed = await run(alpha, ...nextCommand(back.stderr, 'peer add'));
    expect(closed.stderr).to.contain('is active').and.to.contain('takes facts of scope public from it');
    for (const desk of [alpha, beta]) {
      expect((await peersOf(desk)).map(({ status }) => status)).to.deep.equal(['active']);
    }
    const listed = await run(alpha, 'list');
    expect(listed.stdout)
      .to.match(/^id +node +address +status +scopes +direction\n/)
      .and.to.contain(beta.url);
    const status = await run(alpha, 'status');
    expect(status.stdout, status.stderr).to.match(
      /^node +status +direction +scope +behind by +for +last +next +waiting\n/,
    );
    expect(status.stdout.split('\n').slice(1, -1)).to.have.lengthOf(2);
    const [{ node_id: peer } = { node_id: '' }] = await peersOf(alpha);
    const json = JSON.parse((await run(alpha, 'status', String(peer), '--json')).stdout);
    expect(json).to.deep.include({ node_id: peer, status: 'active' });
    expect([json.inbound.length, json.outbound.length]).to.deep.equal([1, 1]);
    expect((await run(alpha, 'status', 'nobody')).stderr).to.contain('no such peer');
  });

  it('revoke a peering of a running node with immediate effect', async () => {
    for (const [from, to, name] of [
      [alpha, beta, 'a.json'],
      [beta, alpha, 'b.json'],
    ] as const) {
      const grant = from === alpha ? ['--may-end-others', 'yes'] : [];
      await run(from, 'declare', to.url, '--out', name, ...grant);
      carry(from, to, name);
      await run(to, 'add', name);
    }
    const [peer] = await peersOf(alpha);
    expect(peer).to.include({ may_end_others: true });
    const revoked = await run(alpha, 'revoke', String(peer?.['node_id']));
    expect([revoked.exitCode, revoked.stdout]).to.deep.equal([0, '']);
    expect(revoked.stderr).to.contain('is revoked').and.to.contain('Its operator ends the other side');
    const key = readFileSync(alpha.place.path('data/admin.key'), 'utf8').trim();
    const reply = await fetch(`${alpha.url}/v1/federation/peers`, { headers: { authorization: `Bearer ${key}` } });
    const { peers } = (await reply.json()) as { peers: { status: string }[] };
    expect(peers.map(({ status }) => status)).to.deep.equal(['revoked']);
  });

  it('store a declaration whose node is unreachable, and print the next step', async () => {
    await run(alpha, 'declare', beta.url, '--out', 'alpha.json');
    carry(alpha, beta, 'alpha.json');
    await alpha.node.end();
    const added = await run(beta, 'add', 'alpha.json');
    expect(added.exitCode).to.equal(0);
    expect(added.stderr).to.contain('could not be reached').and.to.contain('--url ADDRESS');
    expect((await peersOf(beta)).map(({ status }) => status)).to.deep.equal(['pending_verification']);
  });

  it('reject invalid declarations and print the reason', async () => {
    await run(alpha, 'declare', beta.url, '--out', 'alpha.json');
    carry(alpha, beta, 'alpha.json');
    const forged = { ...JSON.parse(readFileSync(beta.place.path('alpha.json'), 'utf8')), allowed_scopes: ['company'] };
    writeFileSync(beta.place.path('forged.json'), JSON.stringify(forged));
    writeFileSync(beta.place.path('torn.json'), '{"declaring_node_id":');
    for (const [desk, words, complaint] of [
      [beta, ['add', 'forged.json'], 'the signature is not one of the key in the metadata'],
      [beta, ['add', 'torn.json'], 'declaration'],
      [beta, ['add', 'nowhere.json'], 'peer declare YOUR-ADDRESS'],
      [alpha, ['add', 'alpha.json'], 'give it to the operator of the other node'],
      [alpha, ['declare', alpha.url], 'must not be the declaring node'],
      [alpha, ['declare', beta.url, '--out', 'alpha.json'], 'never overwritten'],
      [alpha, ['declare', 'ftp://beta.example'], 'http or https address, or by its id'],
      [alpha, ['declare', 'beta and gamma'], 'for example https://beta.example'],
      [beta, ['add', 'alpha.json', '--code', '123'], 'a code has 25 digits, and 3 were given'],
      [beta, ['add', 'alpha.json', '--code', '1'.repeat(25)], 'do not trust this file'],
      [alpha, ['declare', beta.url, '--direction', 'sideways'], '--direction is one of'],
      [alpha, ['declare', 'http://127.0.0.1:1'], 'could not be asked who it is'],
      [alpha, ['revoke', 'nobody'], 'peer list'],
    ] as const) {
      const { exitCode, stdout, stderr } = await run(desk, ...words);
      expect([exitCode, stdout], words.join(' ')).to.deep.equal([1, '']);
      expect(stderr, words.join(' ')).to.contain(complaint).and.not.to.contain('    at ');
    }
    expect(await peersOf(beta)).to.deep.equal([]);
    expect(await peersOf(alpha)).to.have.lengthOf(1);
  });

  it('make no peering of an address without its protocol, or of scopes that never leave a node', async () => {
    const { host, hostname } = new URL(beta.url);
    for (const peer of [host, `${host}/memory`, hostname, 'beta.example', 'beta:8765', 'localhost', 'localhost:8765']) {
      const { exitCode, stderr } = await run(alpha, 'declare', peer);
      expect(exitCode, peer).to.equal(1);
      expect(stderr).to.contain('by its http or https address, or by its id').and.to.contain('https://beta.example');
    }
    const { exitCode, stderr } = await run(alpha, 'declare', beta.url, '--scopes', 'public,team');
    expect([exitCode, stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && /public, company/.test(text),
    );
    expect(await peersOf(alpha)).to.deep.equal([]);
    expect((await run(alpha, 'declare', 'svc:node:97d43e08-8c78-485d-8628-bb9ac102eb4d')).exitCode).to.equal(0);
  });

  it('print a declaration without a file, and name no file that does not exist', async () => {
    const { stdout, stderr } = await run(alpha, 'declare', 'svc://node.beta.example');
    expect(JSON.parse(stdout)).to.include({ target_node_id: 'svc://node.beta.example' });
    expect(stderr).to.contain('Give the declaration above, as a file,').and.to.contain('peer add FILE');
    expect(stderr).to.not.contain('ours.json');
  });

  it('print the setting that enables federation while it is off', async () => {
    const off = { ...alpha, env: { SVC_NODE_URL: alpha.url } };
    const { exitCode, stderr } = await run(off, 'declare', 'svc://node.beta.example', '--out', 'alpha.json');
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('SVC_FEDERATION_ENABLED=true').and.to.contain('SVC_NODE_URL');
    expect(existsSync(alpha.place.path('alpha.json'))).to.equal(false);
    expect((await run(off, 'list')).exitCode).to.equal(0);
  });
});
