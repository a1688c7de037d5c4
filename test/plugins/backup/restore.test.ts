import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { Load } from './asserting-load.ts';
import { BACKED_UP, BackupPlace, fact, request, type StoredRows } from './backup-place.ts';

/** Tables that a restore changes on purpose: it advances the clock and the epoch, and drops leases. */
const STEPPED = ['node_clock', 'leases'];

const LIMIT_MS = 60_000;

const without = (rows: StoredRows, tables: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries([...rows].filter(([table]) => !tables.includes(table)));

forEachStore('backup and restore', (kind) => {
  let from: BackupPlace;
  let to: BackupPlace;
  const place = async (plugins: typeof BACKED_UP = BACKED_UP): Promise<void> => {
    from = await BackupPlace.on(kind, plugins);
    to = await BackupPlace.on(kind, plugins);
  };
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
  });

  it('restores every row of every table and the replies of the node', async () => {
    await place({});
    const node = await from.start();
    const load = new Load(node, 'a');
    await waitUntil('facts are stored', LIMIT_MS, () => load.acknowledged.length >= 60);
    await load.stop();
    const paths = ['/v1/facts?limit=500&include_contradicted=true', '/v1/conflicts', '/v1/cards/user:a3', '/v1/audit'];
    const before = await Promise.all(paths.slice(0, 2).map((path) => request(node, 'GET', path)));
    await node.end();
    const folder = await from.backUp();
    const restored = await to.run(['restore', folder]);
    expect(restored.exitCode, restored.stderr).to.equal(0);
    expect(without(await to.rows(), STEPPED)).to.deep.equal(without(await from.rows(), STEPPED));
    to.takeKeys(from);
    const again = await to.start();
    const after = await Promise.all(paths.slice(0, 2).map((path) => request(again, 'GET', path)));
    expect(after.map(({ body }) => body.facts ?? body.conflicts)).to.deep.equal(
      before.map(({ body }) => body.facts ?? body.conflicts),
    );
    expect((await request(again, 'POST', '/v1/facts', fact('user:new', 'later'))).status).to.equal(201);
  });

  it('contain every fact acknowledged before the backup of a running node, and no partial fact', async () => {
    await place();
    const node = await from.start();
    const loads = [new Load(node, 'a'), new Load(node, 'b'), new Load(node, 'c')];
    await waitUntil('facts are stored', LIMIT_MS, () => loads.every(({ acknowledged }) => acknowledged.length >= 20));
    const before = loads.flatMap(({ acknowledged }) => [...acknowledged]);
    const folder = await from.backUp();
    const during = loads.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    expect(during, 'writes go on while the backup is made').to.be.greaterThan(before.length);
    await Promise.all(loads.map((load) => load.stop()));
    await node.end();
    const restored = await to.run(['restore', folder]);
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const [original, copy] = [await from.rows(), await to.rows()];
    const idsOf = (rows: StoredRows): string[] => (rows.get('facts') ?? []).map((row) => JSON.parse(row).id);
    expect(idsOf(copy)).to.include.members(before);
    expect(original.get('facts')).to.include.members([...(copy.get('facts') ?? [])]);
    // Each fact is stored in one transaction with its derived rows, so the backup contains both or neither.
    const has = new Set(idsOf(copy));
    const idsIn = (rows: StoredRows, table: string): string[] =>
      (rows.get(table) ?? []).map((row) => JSON.parse(row).fact_id).sort();
    const covers = idsIn(original, 'fact_covers').filter((id) => has.has(id));
    expect(idsIn(copy, 'fact_covers')).to.deep.equal(covers);
    expect([...has]).to.include.members(idsIn(copy, 'conflicts_members'));
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    for (const [table, rows] of copy) expect(manifest.tables[table] ?? rows.length, table).to.equal(rows.length);
  });

  it('refuse to replace a store without --replace or while a process runs, and keep the old store', async () => {
    await place();
    const node = await from.start();
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    const folder = await from.backUp();
    await request(node, 'POST', '/v1/facts', fact('user:b', 'second'));
    const whileRunning = await from.run(['restore', folder, '--replace']);
    expect(whileRunning.exitCode).to.equal(1);
    expect(whileRunning.stderr).to.match(/hint: stop every process on the store first/);
    await node.end();
    const taken = await from.run(['restore', folder]);
    expect(taken.stderr).to.match(/hint: give --replace/);
    expect((await from.rows()).get('facts')).to.have.length(2);
    const replaced = await from.run(['restore', folder, '--replace']);
    expect(replaced.exitCode, replaced.stderr).to.equal(0);
    expect(replaced.stdout).to.match(/Kept aside .*before_/);
    expect((await from.rows()).get('facts')).to.have.length(1);
    expect((await from.run(['restore', folder, '--replace'])).exitCode, 'a second time').to.equal(0);
    const again = await from.start();
    expect((await request(again, 'GET', '/v1/facts?entity=user:b')).body.facts).to.have.length(0);
  });

  it('refuse a backup in which a single bit was changed', async () => {
    await place();
    await from.run(['init']);
    const folder = await from.backUp('--with-key');
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const whole = readFileSync(file);
      const damaged = Buffer.from(whole);
      const at = Math.floor(Math.random() * whole.length);
      damaged[at] = (damaged[at] as number) ^ (1 << Math.floor(Math.random() * 8));
      writeFileSync(file, damaged);
      const refused = await to.run(['restore', folder]);
      expect(refused.exitCode, `${name}, byte ${at}`).to.equal(1);
      expect(refused.stderr, name).to.match(/damaged|does not know/);
      writeFileSync(file, whole);
      if (kind === 'postgres' && at % 7 !== 0 && name.endsWith('.gz')) break;
    }
    expect((await to.run(['restore', folder])).exitCode).to.equal(0);
  });

  it('restore the node key with --with-key, and create backups that only their owner can read', async () => {
    await place();
    const node = await from.start();
    await node.end();
    const folder = await from.backUp('--with-key');
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).to.equal(0o600);
    const restored = await to.run(['restore', folder]);
    expect(restored.stdout).to.match(/Node key {3}put back/);
    expect(readFileSync(to.work.path('data/node.key'))).to.deep.equal(readFileSync(from.work.path('data/node.key')));
    await (await to.start()).end();
  });

  it('list backups newest first, and prune all but the requested number', async () => {
    await place();
    await from.run(['init']);
    const made = [await from.backUp(), await from.backUp(), await from.backUp(), await from.backUp()];
    const pruned = await from.run(['backup', 'prune', '--keep', '2', '--json']);
    expect(JSON.parse(pruned.stdout).removed).to.have.length(2);
    const { backups } = JSON.parse((await from.run(['backup', 'list', '--json'])).stdout);
    expect(backups).to.have.length(2);
    expect(
      made
        .map((path) => basename(path))
        .slice(2)
        .reverse(),
    ).to.deep.equal(backups.map(({ id }: { id: string }) => id));
    expect((await from.run(['backup', 'list'])).stdout).to.match(/^backup +made +facts/);
  });

  it('complete at the next prune, or backup, a removal that was killed', async () => {
    await place();
    await from.run(['init']);
    const halfRemove = async (): Promise<string> => {
      const made = await from.backUp();
      renameSync(made, `${made}.removed`);
      return basename(made);
    };
    const half = await halfRemove();
    expect((await from.run(['backup', 'prune', '--keep', '1', '--dry-run'])).stdout).to.equal(`${half}\n`);
    expect((await from.run(['backup', 'prune', '--keep', '1'])).stdout).to.equal(`${half}\n`);
    expect(readdirSync(from.backups)).to.deep.equal([]);
    await halfRemove();
    const next = await from.backUp();
    expect(readdirSync(from.backups)).to.deep.equal([basename(next)]);
  });
});
