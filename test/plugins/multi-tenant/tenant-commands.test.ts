import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServingNode, Workplace } from '../../adapters/cli/spawned-program.ts';

const ON = { SVC_MULTI_TENANT_ENABLED: 'true' };

describe('the tenant commands', () => {
  let place: Workplace;
  let node: ServingNode;
  let acme: string;

  before(async () => {
    place = new Workplace();
    node = await place.serve(undefined, ON);
    acme = (
      await place.run(['tenant', 'create', 'acme', '--entity', 'agent:boss', '--name', 'Acme'], ON)
    ).stdout.trim();
  });
  after(() => place.dispose());

  const ask = async (key: string, path: string, body?: unknown) => {
    const answer = await fetch(`${node.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  /** Waits until a running node applies a change by a command. */
  const becomes = async (key: string, status: number): Promise<void> => {
    while ((await ask(key, '/v1/me')).status !== status);
  };

  it('create a tenant whose first key a running node accepts', async () => {
    expect(acme).to.match(/^[0-9a-f]{64}$/);
    const me = await ask(acme, '/v1/me');
    expect(me.body).to.include({ tenant_id: 'acme', entity_uri: 'agent:boss' });
    const again = await place.run(['tenant', 'create', 'acme'], ON);
    expect(again.exitCode).to.equal(1);
    expect(again.stdout).to.equal('');
    expect(again.stderr).to.match(/^error: /);
  });

  it('list tenants, and show the counts of one', async () => {
    const value = { type: 'text', v: 'one' };
    await ask(acme, '/v1/facts', { entity: 'user:x', relation: 'memory:note', value, source: 'agent:s' });
    const listed = await place.run(['tenant', 'list'], ON);
    expect(listed.stdout).to.match(/acme +active +\S+Z +Acme/);
    expect(listed.stdout).to.match(/default +active/);
    const lines = (await place.run(['tenant', 'list', '--json'], ON)).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).to.deep.equal(['acme', 'default']);
    expect((await place.run(['tenant', 'show', 'acme'], ON)).stdout).to.match(/facts +1\n/);
    const missing = await place.run(['tenant', 'show', 'no-such'], ON);
    expect(missing.exitCode).to.equal(1);
  });

  it('add a key to an existing tenant only', async () => {
    const added = await place.run(['key', 'add', '--entity', 'agent:b', '--tenant', 'acme'], ON);
    expect((await ask(added.stdout.trim(), '/v1/me')).body).to.include({ tenant_id: 'acme' });
    const refused = await place.run(['key', 'add', '--entity', 'agent:b', '--tenant', 'amce'], ON);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.match(/tenant create/);
  });

  it('suspend a tenant on a running node, and resume it', async () => {
    expect((await place.run(['tenant', 'suspend', 'acme'], ON)).stderr).to.match(/suspended/);
    await becomes(acme, 403);
    expect((await place.run(['tenant', 'resume', 'acme'], ON)).exitCode).to.equal(0);
    await becomes(acme, 200);
  });

  it('export a tenant to a file of its owner', async () => {
    const { exitCode, stdout } = await place.run(['tenant', 'export', 'acme', '--out', 'acme.ndjson'], ON);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: '' });
    const lines = readFileSync(place.path('acme.ndjson'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).to.deep.equal(['header', 'fact', 'end']);
    expect(statSync(place.path('acme.ndjson')).mode & 0o777).to.equal(0o600);
    expect((await place.run(['tenant', 'export', 'acme', '--out', 'acme.ndjson'], ON)).exitCode).to.equal(1);
  });

  it('erase a tenant after two confirmations, and print the receipt', async () => {
    const asked = await place.run(['tenant', 'erase', 'acme'], ON);
    expect(asked.exitCode).to.equal(1);
    expect(asked.stderr).to.match(/nothing was erased[\s\S]*--yes/);
    await becomes(acme, 200);
    const { exitCode, stdout, stderr } = await place.run(['tenant', 'erase', 'acme', '--yes'], ON);
    expect(exitCode, stderr).to.equal(0);
    const receipt = JSON.parse(stdout) as Record<string, unknown>;
    expect(receipt['tenant_id']).to.equal('acme');
    expect(receipt['signature']).to.be.a('string');
    await becomes(acme, 401);
    expect((await place.run(['tenant', 'show', 'acme'], ON)).stdout).to.match(/status +erased/);
  });

  it('name the setting that is off on a node with one tenant', async () => {
    const { exitCode, stderr } = await place.run(['tenant', 'list']);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('SVC_MULTI_TENANT_ENABLED');
  });
});

describe('a command that adds something to a tenant', () => {
  const place = new Workplace();
  after(() => place.dispose());

  it('refuses a mistyped tenant', async () => {
    await place.run(['init'], ON);
    writeFileSync(place.path('token.json'), '{}');
    const commands = [
      ['tombstone', 'add', 'user:alice'],
      ['tombstone', 'follow', 'svc:node:other', '--capability', 'token.json'],
      ['token', 'mint', '--subject', 'agent:b', '--verb', 'read', '--object', 'public'],
      ['peer', 'declare', 'https://beta.example'],
      ['relations', 'set', 'memory:likes', '--values', 'many'],
    ];
    for (const command of commands) {
      const refused = await place.run([...command, '--tenant', 'amce'], ON);
      expect([refused.exitCode, refused.stdout], command.join(' ')).to.deep.equal([1, '']);
      expect(refused.stderr, command.join(' ')).to.include('there is no such tenant');
    }
  });
});
