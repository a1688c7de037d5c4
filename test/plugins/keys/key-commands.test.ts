import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServingNode, Workplace } from '../../adapters/cli/spawned-program.ts';
import { comesTrue } from '../../kit/comes-true.ts';

describe('the key commands', () => {
  let place: Workplace;
  let node: ServingNode;

  before(async () => {
    place = new Workplace();
    node = await place.serve();
  });

  after(() => place.dispose());

  const callerOf = async (key: string): Promise<{ status: number; document: Record<string, unknown> }> => {
    const answer = await fetch(`${node.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    return { status: answer.status, document: (await answer.json()) as Record<string, unknown> };
  };
  const records = async (): Promise<Record<string, unknown>[]> =>
    (await place.run(['key', 'list', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('create a key with the requested permissions, which a running node accepts', async () => {
    const flags = ['--entity', 'agent:reader', '--permissions', 'read', '--scopes', 'team, local'];
    const { exitCode, stdout } = await place.run(['key', 'add', ...flags]);

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^[0-9a-f]{64}\n$/);
    const { status, document } = await callerOf(stdout.trim());
    expect(status).to.equal(200);
    expect(document).to.include({ entity_uri: 'agent:reader' });
    expect(document['permissions']).to.deep.equal(['read']);
    expect(document['allowed_scopes']).to.deep.equal(['local', 'team']);
  });

  it('write a key to a private file instead, and print no secret', async () => {
    const result = await place.run(['key', 'add', '--entity', 'agent:filed', '--out', 'filed.key']);
    const key = readFileSync(place.path('filed.key'), 'utf8').trim();

    expect(result.stdout).to.equal('');
    expect(result.stderr).not.to.contain(key);
    expect(statSync(place.path('filed.key')).mode & 0o777).to.equal(0o600);
    expect((await callerOf(key)).status).to.equal(200);
  });

  it('never overwrite a file, and register no key if the file exists', async () => {
    writeFileSync(place.path('taken.key'), 'mine');
    const before = await records();
    const { exitCode, stderr } = await place.run(['key', 'add', '--entity', 'agent:x', '--out', 'taken.key']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('never overwritten');
    expect(readFileSync(place.path('taken.key'), 'utf8')).to.equal('mine');
    expect(await records()).to.deep.equal(before);
  });

  it('leave no file behind if the node refuses the key', async () => {
    const flags = ['--entity', 'agent:x', '--expires', '2000-01-01T00:00:00Z', '--out', 'past.key'];
    const { exitCode, stderr } = await place.run(['key', 'add', ...flags]);

    expect(exitCode).to.equal(1);
    expect(stderr)
      .to.match(/^error: /)
      .and.not.to.contain('    at ');
    expect(statSync(place.path('past.key'), { throwIfNoEntry: false })).to.equal(undefined);
  });

  it('write no file of a key that is not registered, although the command is killed', async () => {
    await place.killAtFile(['key', 'add', '--entity', 'agent:killed', '--out', 'killed.key'], 'killed.key');
    const key = readFileSync(place.path('killed.key'), 'utf8').trim();
    expect((await callerOf(key)).status).to.equal(200);
  });

  it('list the keys of all entities, without any secret', async () => {
    await place.run(['key', 'add', '--entity', 'agent:listed', '--description', 'for the list']);
    const { stdout } = await place.run(['key', 'list']);

    expect(stdout).to.match(/agent:listed +read,write +local,team,company,public +\S+Z +never +for the list/);
    expect(stdout).to.contain('agent:admin');
    const admin = readFileSync(place.path('data/admin.key'), 'utf8').trim();
    expect(stdout).not.to.contain(admin);
  });

  it('revoke a key that a running node has accepted before', async () => {
    const key = (await place.run(['key', 'add', '--entity', 'agent:gone'])).stdout.trim();
    expect((await callerOf(key)).status).to.equal(200);
    const id = (await records()).find((record) => record['entityUri'] === 'agent:gone')?.['id'];

    expect((await place.run(['key', 'revoke', String(id)])).exitCode).to.equal(0);
    await comesTrue(async () => (await callerOf(key)).status === 401);
    expect((await records()).map((record) => record['id'])).not.to.include(id);
  });

  it('report an unknown id, and print how to list the known ids', async () => {
    const { exitCode, stderr } = await place.run(['key', 'revoke', 'nobody']);

    expect([exitCode, stderr]).to.deep.equal([
      1,
      'error: there is no key with this id\nhint: "fact-memory-node key list" shows the ids of all active keys\n',
    ]);
  });

  it('require the plugin keys', async () => {
    writeFileSync(
      place.path('off.json'),
      JSON.stringify({
        plugins: { keys: false, oauth: false, oidc: false, subscriptions: false },
        node: { authRequired: false },
      }),
    );
    const { exitCode, stderr } = await place.run(['key', 'list', '--config', 'off.json']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('the plugin "keys" is off').and.to.contain('hint:');
  });

  for (const [flags, complaint] of [
    [[], "required option '--entity <uri>'"],
    [['--entity', 'a', '--permissions', 'read,fly'], 'permissions must name at least one of'],
    [['--entity', 'a', '--scopes', 'galaxy'], 'local, team, company, public'],
    [['--entity', 'a', '--expires', 'tomorrow'], 'RFC 3339'],
  ] as const) {
    it(`refuse "key add ${flags.join(' ')}" with the reason`, async () => {
      const { exitCode, stdout, stderr } = await place.run(['key', 'add', ...flags]);

      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain(complaint);
    });
  }
});
