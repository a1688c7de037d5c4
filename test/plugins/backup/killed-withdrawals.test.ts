import { existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { BackupPlace } from './backup-place.ts';
import { NOTED_AFTER, NOTED_BEFORE, type WithdrawalKind } from './withdrawal-kinds.ts';

const LIMIT_MS = 120_000;

/** A node whose journal is out of reach: a folder has its name, so that nothing can be written there. */
class LockedJournal {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) renameSync(path, `${path}.aside`);
    mkdirSync(path);
  }

  free(): void {
    rmdirSync(this.#path);
    if (existsSync(`${this.#path}.aside`)) renameSync(`${this.#path}.aside`, this.#path);
  }
}

forEachStore('a withdrawal whose journal cannot be written', (kind) => {
  let place: BackupPlace;
  afterEach(() => place.dispose());

  const placeFor = async ({ plugins }: WithdrawalKind): Promise<void> => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', ...plugins));
  };
  const lock = ({ file }: WithdrawalKind): LockedJournal => new LockedJournal(place.work.path(`data/${file}`));

  for (const one of NOTED_AFTER) {
    it(`holds for ${one.title} after a kill and a restore, because the next start writes it`, async () => {
      await placeFor(one);
      const node = await place.startApart(one.env);
      const { withdraw, isWithdrawn } = await one.prepare(node);
      const folder = await place.backUp();
      const journal = lock(one);
      expect(await withdraw(node)).to.be.within(200, 204);
      await node.end('SIGKILL');
      journal.free();
      await place.endLeases();
      await (await place.start(one.env)).end();
      const restored = await place.run(['restore', basename(folder), '--replace']);
      expect(restored.exitCode, restored.stderr).to.equal(0);
      const again = await place.start(one.env);
      expect(await isWithdrawn(again)).to.equal(true);
      await again.end();
    }).timeout(LIMIT_MS);
  }

  for (const one of NOTED_BEFORE) {
    it(`is refused for ${one.title}, which stays until the journal takes it`, async () => {
      await placeFor(one);
      const node = await place.start(one.env);
      const { withdraw, isWithdrawn } = await one.prepare(node);
      const journal = lock(one);
      expect(await withdraw(node)).to.equal(503);
      expect(await isWithdrawn(node)).to.equal(false);
      journal.free();
      expect(await withdraw(node)).to.be.within(200, 204);
      expect(await isWithdrawn(node)).to.equal(true);
      await node.end();
    }).timeout(LIMIT_MS);
  }
});
