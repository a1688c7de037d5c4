import { expect } from 'chai';
import { Workplace } from '../../../adapters/cli/spawned-program.ts';

describe('the tombstone commands', () => {
  let place: Workplace;
  before(async () => {
    place = new Workplace();
    await place.start();
  });
  after(() => place.dispose());

  const run = async (...args: string[]) => place.run(['tombstone', ...args]);

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
    expect((await run('revoke', id, '--reason', 'again')).exitCode).not.to.equal(0);
  });

  it('refuse an entity without a colon, and a peer that is not there', async () => {
    const added = await run('add', 'alice');
    expect(added.exitCode).not.to.equal(0);
    expect(added.stderr).to.contain('colon');
    const followed = await run('follow', 'no-such-peer', '--capability', 'package.json');
    expect(followed.exitCode).not.to.equal(0);
  });
});
