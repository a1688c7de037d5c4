import { existsSync, mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { RunningProgram, ServingNode, Variables } from '../../adapters/cli/spawned-program.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { BackupPlace } from './backup-place.ts';
import { NOTED_AFTER, NOTED_BEFORE, type Prepared, type WithdrawalKind } from './withdrawal-kinds.ts';

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

  const placeFor = async (...kinds: readonly WithdrawalKind[]): Promise<void> => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', ...kinds.flatMap(({ plugins }) => plugins)));
  };
  const lock = (file: string): LockedJournal => new LockedJournal(place.work.path(`data/${file}`));

  describe('and whose node is killed', () => {
    const prepared = new Map<WithdrawalKind, Prepared>();
    let again: ServingNode;

    // One node for all kinds, because one to kill is a process, which takes longer than everything else.
    before(async function () {
      this.timeout(LIMIT_MS);
      await placeFor(...NOTED_AFTER);
      const env: Variables = Object.assign({}, ...NOTED_AFTER.map((one) => one.env));
      const node = await place.startApart(env);
      for (const one of NOTED_AFTER) prepared.set(one, await one.prepare(node));
      const folder = await place.backUp();
      const journals = [...new Set(NOTED_AFTER.map(({ file }) => file))].map(lock);
      for (const [{ title }, { withdraw }] of prepared) expect(await withdraw(node), title).to.be.within(200, 204);
      await node.end('SIGKILL');
      for (const journal of journals) journal.free();
      await place.endLeases();
      await (await place.start(env)).end();
      const restored = await place.run(['restore', basename(folder), '--replace']);
      expect(restored.exitCode, restored.stderr).to.equal(0);
      again = await place.start(env);
    });
    after(async () => {
      await again?.end();
      await place.dispose();
    });

    for (const one of NOTED_AFTER) {
      it(`holds for ${one.title} after a restore, because the next start writes it`, async () => {
        expect(await prepared.get(one)?.isWithdrawn(again)).to.equal(true);
      });
    }
  });

  describe('before it is committed', () => {
    afterEach(() => place.dispose());

    for (const one of NOTED_BEFORE) {
      it(`is refused for ${one.title}, which stays until the journal takes it`, async () => {
        await placeFor(one);
        const node = await place.start(one.env);
        const { withdraw, isWithdrawn } = await one.prepare(node);
        const journal = lock(one.file);
        expect(await withdraw(node)).to.equal(503);
        expect(await isWithdrawn(node)).to.equal(false);
        journal.free();
        expect(await withdraw(node)).to.be.within(200, 204);
        expect(await isWithdrawn(node)).to.equal(true);
        await node.end();
      }).timeout(LIMIT_MS);
    }
  });
});

forEachStore('an acknowledged withdrawal', (kind) => {
  let place: BackupPlace;
  let node: RunningProgram;

  before(async function () {
    this.timeout(LIMIT_MS);
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', ...NOTED_AFTER.flatMap(({ plugins }) => plugins)));
    // A process of its own reads its reply and writes its journal at the same time.
    node = await place.startApart(Object.assign({}, ...NOTED_AFTER.map((one) => one.env)));
  });
  after(async () => {
    await node?.end();
    await place.dispose();
  });

  for (const one of NOTED_AFTER) {
    it(`is in the journal for ${one.title}`, async () => {
      const { withdraw } = await one.prepare(node);
      const size = () => statSync(place.work.path(`data/${one.file}`), { throwIfNoEntry: false })?.size ?? 0;
      const before = size();
      expect(await withdraw(node)).to.be.within(200, 204);
      expect(size()).to.be.above(before);
    });
  }
});
