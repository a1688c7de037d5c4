import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { Workplace } from '../../../adapters/cli/spawned-program.ts';

describe('the tombstone commands', () => {
  let place: Workplace;
  let url: string;
  before(async () => {
    place = new Workplace();
    ({ url } = await place.serve());
  });
  after(() => place.dispose());

  const run = async (...args: string[]) => place.run(['tombstone', ...args]);
  const HIDING = { SVC_TOMBSTONES_ENABLED: 'true' };

  it('add, list and revoke tombstones on the store of a running node', async () => {
    const added = await run('add', 'user:alice', '--reason', 'asked for it');
    expect(added.exitCode, added.stderr).to.equal(0);
    const id = added.stdout.trim();
    expect(id).to.match(/^tomb_[0-9a-f-]{36}$/);
    expect(added.stderr).to.contain('SVC_TOMBSTONES_ENABLED=true');
    const listed = await run('list');
    expect(listed.stdout).to.contain(id).and.to.contain('user:alice').and.to.contain('active since');
    const revoked = await run('revoke', id, '--reason', 'a mistake');
    expect(revoked.stdout.trim(), revoked.stderr).to.match(/^tombrevoke_[0-9a-f-]{36}$/);
    expect((await run('list')).stdout).to.contain('revoked 2');
    await run('add', 'user:carol', '--scope', 'team', '--hold');
    const lines = (await run('list', '--json')).stdout.trimEnd().split('\n');
    const [newest, oldest] = lines.map((line) => JSON.parse(line));
    expect(newest).to.include({ entity_uri: 'user:carol', scope: 'team', legal_hold: true, revoked_at: null });
    expect(oldest).to.include({ id, entity_uri: 'user:alice', reason: 'asked for it', erased_at: null });
    expect(oldest.revoked_at).to.match(/^\d{4}-/);
    expect(newest).not.to.have.property('revocation');
    expect(lines).to.have.lengthOf(2);
    expect((await run('revoke', id, '--reason', 'again')).exitCode).not.to.equal(0);
  });

  it('name on standard error the peers whose tombstones could not be read', async () => {
    const database = new DatabaseSync(place.path('data/svc.db'));
    database.exec(`INSERT INTO tombstones_follows (tenant_id, peer_id, capability, due_ms, failures, last_error)
      VALUES ('default', 'peer-1', '{}', ${Number.MAX_SAFE_INTEGER}, 3, 'the reason')`);
    database.close();
    const { stdout, stderr } = await run('list', '--json');
    expect(stderr).to.equal('The tombstones of peer peer-1 could not be read: the reason.\n');
    for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);
  });

  it('reject an entity without a colon, and an unknown peer', async () => {
    const added = await run('add', 'alice');
    expect(added.exitCode).not.to.equal(0);
    expect(added.stderr).to.contain('colon');
    const followed = await run('follow', 'no-such-peer', '--capability', 'package.json');
    expect(followed.exitCode).not.to.equal(0);
  });

  it('erase the facts of a tombstone after confirmation', async () => {
    const fact = { entity: 'user:bob', relation: 'memory:note', value: { type: 'text', v: 'a leaked word' } };
    const lines = `${JSON.stringify({ ...fact, source: 'agent:s', scope: 'local' })}\n`;
    const said = await place.run(['import', '-', '--key-file', 'data/admin.key', '--url', url], {}, lines);
    expect(said.exitCode, said.stderr).to.equal(0);
    const id = (await run('add', 'user:bob')).stdout.trim();
    const erase = (...options: string[]) => place.run(['tombstone', 'erase', id, ...options], HIDING);

    expect((await run('erase', id, '--yes')).stderr).to.contain('SVC_TOMBSTONES_ENABLED');
    for (const options of [['--dry-run'], ['--dry-run', '--yes']]) {
      const tried = await erase(...options);
      expect(tried.exitCode, tried.stderr).to.equal(0);
      expect(JSON.parse(tried.stdout)).to.deep.include({ dry_run: true, tombstone_id: id });
      expect(JSON.parse(tried.stdout).erased.facts).to.equal(1);
    }
    const refused = await erase();
    expect(refused.exitCode).to.not.equal(0);
    expect(JSON.parse(refused.stdout)).to.include({ dry_run: true });
    expect(refused.stderr).to.contain('nothing was destroyed').and.to.contain('--yes');
    expect((await run('list')).stdout).to.match(/user:bob.*active since|active since.*user:bob/);

    const erased = await erase('--yes');
    expect(erased.exitCode, erased.stderr).to.equal(0);
    expect(erased.stderr).to.contain('1 fact of');
    const receipt = JSON.parse(erased.stdout);
    expect(receipt.erased.facts).to.equal(1);
    expect(receipt.signature).to.be.a('string');
    expect(JSON.parse((await erase('--yes')).stdout)).to.deep.equal(receipt);
    expect((await run('list')).stdout).to.contain('erased 2');
    expect((await place.run(['tombstone', 'erase', 'tomb_none', '--yes'], HIDING)).exitCode).to.not.equal(0);
  });
});
