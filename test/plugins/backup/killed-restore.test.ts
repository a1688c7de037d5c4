import { existsSync, readdirSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { BACKED_UP, BackupPlace, fact, request, type StoredRows } from './backup-place.ts';

const LIMIT_MS = 120_000;
const TEST_LIMIT_MS = 600_000;
const IS_LONG = process.env['SVC_TEST_LONG'] === '1';

/** Returns the rows of the table `facts`; an empty list without a store. */
const factsOf = (rows: StoredRows): readonly string[] => rows.get('facts') ?? [];

forEachStore('a restore that is killed', (kind) => {
  let from: BackupPlace;
  let to: BackupPlace;
  let backup: string;
  let saved: readonly string[];
  beforeEach(async () => {
    from = await BackupPlace.on(kind, BACKED_UP);
    to = await BackupPlace.on(kind, BACKED_UP);
    const node = await from.start();
    await request(node, 'POST', '/v1/facts', fact('user:saved', 'in the backup'));
    await node.end();
    backup = await from.backUp();
    saved = factsOf(await from.rows());
  });
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
  });

  const hasFile = (part: string) => (): boolean =>
    existsSync(to.work.path('data')) && readdirSync(to.work.path('data')).some((name) => name.includes(part));
  const hasTables = (least: number) => async (): Promise<boolean> => (await to.tablesBeside()) >= least;

  /** The moments at which the restore is killed, from its first file or table to its last step. */
  const moments: Readonly<Record<string, () => boolean | Promise<boolean>>> =
    kind === 'sqlite'
      ? { begun: hasFile('.restoring'), 'brought up to date': hasFile('.restoring-wal'), moved: hasFile('.before_') }
      : { begun: hasTables(1), filled: hasTables(60) };

  const restoreAtLast = async (): Promise<void> => {
    // PostgreSQL may need a moment to notice that the killed process has ended.
    let told = '';
    const isDone = async (): Promise<boolean> => {
      const { exitCode, stderr } = await to.run(['restore', backup, '--replace']);
      told = stderr;
      return exitCode === 0;
    };
    await waitUntil('a second restore succeeds', LIMIT_MS, isDone).catch((error) => {
      throw new Error(`${told}`, { cause: error });
    });
    expect(factsOf(await to.rows())).to.deep.equal(saved);
    expect(await to.tablesBeside()).to.equal(0);
    expect(hasFile('.restoring')()).to.equal(false);
    to.takeKeys(from);
    const verified = await to.run(['verify']);
    expect(verified.exitCode, verified.stdout + verified.stderr).to.equal(0);
  };

  // Each case starts a dozen processes, so the short run tests only the last, riskiest moment.
  for (const [name, isSoFar] of Object.entries(moments).slice(IS_LONG ? 0 : -1)) {
    // A restore moves files only if a store exists in the target.
    if (IS_LONG && name !== 'moved') {
      it(`once it is ${name} leaves the empty target empty or completely restored`, async () => {
        await to.kill(['restore', backup], isSoFar);
        const left = factsOf(await to.rows());
        if (left.length > 0) expect(left).to.deep.equal(saved);
        await restoreAtLast();
      }).timeout(TEST_LIMIT_MS);
    }

    it(`once it is ${name} leaves either the old store or the complete restored one`, async () => {
      const node = await to.start();
      for (const entity of ['user:one', 'user:two']) {
        await request(node, 'POST', '/v1/facts', fact(entity, 'in the old store'));
      }
      await node.end();
      const before = factsOf(await to.rows());
      expect(before).to.have.length(2);
      await to.kill(['restore', backup, '--replace'], isSoFar);
      expect([before, saved]).to.deep.include(factsOf(await to.rows()));
      await restoreAtLast();
    }).timeout(TEST_LIMIT_MS);
  }

  it('has put the node key there before the store, and a refused one leaves no key', async () => {
    const withKey = await from.backUp('--with-key');
    const hasKey = hasFile('node.key');
    await to.kill(['restore', withKey], moments['begun'] as () => boolean | Promise<boolean>);
    expect(hasKey()).to.equal(true);
    await restoreAtLast();
    rmSync(to.work.path('data/node.key'));
    expect((await to.run(['restore', withKey])).stderr).to.contain('already');
    expect(hasKey()).to.equal(false);
  }).timeout(TEST_LIMIT_MS);
});
