import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { Load } from './asserting-load.ts';
import { BackupPlace, bytesBelow, fact, request } from './backup-place.ts';

const LIMIT_MS = 60_000;

forEachStore('the commands "verify" and "upgrade --check"', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind);
  });
  afterEach(() => place.dispose());

  const unfreeze = kind === 'postgres' ? 'ALTER TABLE facts DISABLE TRIGGER USER' : 'DROP TRIGGER facts_refuse_update';

  it('report no problem in an unchanged store while the node runs', async () => {
    const node = await place.start();
    const load = new Load(node, 'a');
    await waitUntil('facts are stored', LIMIT_MS, () => load.acknowledged.length >= 40);
    await load.stop();
    const { exitCode, stdout, stderr } = await place.run(['verify', '--json']);
    const { ok, checks, findings } = JSON.parse(stdout);
    expect({ exitCode, ok, findings }, stderr).to.deep.equal({ exitCode: 0, ok: true, findings: [] });
    expect(checks.map(({ name }: { name: string }) => name)).to.include.members(['facts', 'chain', 'audit', 'index']);
  });

  it('report a changed fact by its content id and by the chain, without showing its value', async () => {
    const node = await place.start();
    const { body } = await request(node, 'POST', '/v1/facts', fact('user:a', 'true words'));
    await request(node, 'POST', '/v1/facts', fact('user:b', 'other words'));
    await node.end();
    await place.tamper(
      unfreeze,
      "UPDATE facts SET value_v = '\"forged words\"' WHERE entity = 'user:a' OR entity_key = 'user:a'",
    );
    const { exitCode, stdout } = await place.run(['verify']);
    expect(exitCode).to.equal(1);
    expect(stdout).to.include(`facts: the fact ${body.id} does not match its content id`);
    expect(stdout).to.match(/^chain +1 finding$/m);
    expect(stdout).not.to.include('forged');
  });

  it('read every file of a backup and report the damaged one', async () => {
    await place.run(['init']);
    const folder = await place.backUp();
    expect((await place.run(['verify', '--backup', folder])).exitCode).to.equal(0);
    const name = readdirSync(folder).find((one) => one !== 'manifest.json') as string;
    const bytes = readFileSync(join(folder, name));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(join(folder, name), bytes);
    const damaged = await place.run(['verify', '--backup', folder]);
    expect(damaged.exitCode).to.equal(1);
    expect(damaged.stderr).to.include(name);
  });

  it('report whether a store is current, older or newer, and leave the store unchanged', async () => {
    await place.run(['init']);
    const look = async () => JSON.parse((await place.run(['upgrade', '--check', '--json'])).stdout);
    // The first reader moves what the end of init may leave in the write-ahead log into the file.
    await look();
    const before = kind === 'sqlite' ? bytesBelow(place.work.path('data')) : await place.rows();
    expect(await look()).to.include({ state: 'current', facts: 0 });
    const after = kind === 'sqlite' ? bytesBelow(place.work.path('data')) : await place.rows();
    expect(after).to.deep.equal(before);
    await place.tamper("DELETE FROM schema_migrations WHERE version LIKE '029%'");
    const older = await look();
    expect(older.state).to.equal('older');
    expect(older.pending).to.deep.include({ number: 29, name: 'rate_limits', owner: 'rate-limits' });
    await place.tamper("INSERT INTO schema_migrations (version, applied_at, owner) VALUES ('999_later', '', 'core')");
    const newer = await place.run(['upgrade', '--check']);
    expect(newer.exitCode).to.equal(1);
    expect(newer.stdout).to.match(/Problem +the store was written by a newer version/);
    expect((await place.run(['upgrade'])).stderr).to.match(/hint: .*upgrade --check/);
  });
});
