import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';

describe('An operator loses the store of a node and keeps its other files (I22)', () => {
  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
    mkdirSync(place.path('data'), { mode: 0o700 });
  });
  afterEach(() => place.dispose());

  const init = (env: Readonly<Record<string, string>> = {}) => place.run(['init'], env);

  const loseStore = async (): Promise<void> => {
    expect((await init()).exitCode).to.equal(0);
    for (const ending of ['', '-wal', '-shm']) rmSync(place.path(`data/svc.db${ending}`), { force: true });
  };

  it('is told how to recover instead of getting an empty store', async () => {
    await loseStore();
    const { exitCode, stderr } = await init();
    expect(exitCode).to.equal(1);
    for (const part of [
      place.path('data/svc.db'),
      'node.key',
      'restore a backup',
      'SVC_DATABASE_URL',
      'move these files',
    ]) {
      expect(stderr).to.contain(part);
    }
    const doctor = await place.run(['plugins', 'doctor']);
    expect(doctor.exitCode).to.equal(1);
    expect(doctor.stdout + doctor.stderr).to.match(/the store .* is gone or empty, but its folder has .*node\.key/);
    expect(existsSync(place.path('data/svc.db'))).to.equal(false);

    rmSync(place.path('data/node.key'));
    expect((await init()).exitCode).to.equal(0);
  });

  // A file of one page is what a copy of a fresh store is without the log beside it.
  for (const bytes of [0, 4_096]) {
    it(`is told the same where ${bytes} bytes of the store are left`, async () => {
      expect((await init()).exitCode).to.equal(0);
      truncateSync(place.path('data/svc.db'), bytes);
      const { exitCode, stderr } = await init();
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/the store .* is gone or empty, but its folder has .*node\.key/);
      const { stderr: told } = await place.run(['verify']);
      expect(told).to.contain('there is no store at');
    });
  }

  it('gets a new store if SVC_NODE_ID names the node', async () => {
    await loseStore();
    expect((await init({ SVC_NODE_ID: 'svc:node:moved' })).exitCode).to.equal(0);
  });

  for (const folder of ['search', 'backups']) {
    it(`is refused beside a filled folder "${folder}", and served beside an empty one`, async () => {
      mkdirSync(place.path(`data/${folder}`));
      writeFileSync(place.path(`data/${folder}/part`), 'x');
      expect((await init()).exitCode).to.equal(1);
      rmSync(place.path(`data/${folder}/part`));
      expect((await init()).exitCode).to.equal(0);
    });
  }
});
