import { mkdirSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { Load } from './asserting-load.ts';
import { BACKED_UP, BackupPlace, bytesBelow, fact, request } from './backup-place.ts';

const LIMIT_MS = 120_000;
/** The time limit of one round, which starts five programs. */
const ROUND_LIMIT_MS = 400_000;
const ROUNDS = Number(process.env['SVC_TEST_BACKUP_ROUNDS'] ?? (process.env['SVC_TEST_LONG'] === '1' ? 100 : 2));
const CANARY = 'canary-7f3a9c51-lighthouse';

forEachStore('backups of a running node', (kind) => {
  let from: BackupPlace;
  let to: BackupPlace;
  beforeEach(async () => {
    from = await BackupPlace.on(kind, BACKED_UP);
    to = await BackupPlace.on(kind, BACKED_UP);
  });
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
  });

  it('are made by a job that an administrator of the default tenant requests', async () => {
    const node = await from.start();
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    const begun = await request(node, 'POST', '/v1/backups');
    expect(begun.status).to.equal(202);
    const job = () => request(node, 'GET', `/v1/jobs/${begun.body.job_id}`);
    await waitUntil('the backup is made', LIMIT_MS, async () => (await job()).body.status === 'done');
    const { backups } = (await request(node, 'GET', '/v1/backups')).body;
    expect(backups).to.have.length(1);
    expect(backups[0]).to.include({ facts: 1, has_key: false, erasures_since: 0, readable: true });
    expect((await job()).body).to.include({ backup: backups[0].id, facts: 1 });
    await node.end();
    expect((await to.run(['restore', `${from.backups}/${backups[0].id}`])).exitCode).to.equal(0);
  });

  it('are made by a periodic task, which keeps the newest SVC_BACKUP_KEEP backups', async () => {
    const node = await from.start({ SVC_BACKUP_KEEP: '2' });
    const made: string[] = [];
    for (let run = 0; run < 4; run += 1) {
      await request(node, 'POST', '/v1/facts', fact('user:a', `note ${run}`));
      const begun = await request(node, 'POST', '/v1/upkeep/backup/run');
      expect(begun.status, JSON.stringify(begun.body)).to.equal(202);
      const tasks = async () => (await request(node, 'GET', '/v1/upkeep')).body.tasks;
      const newest = async () =>
        (await tasks()).find(({ name }: { name: string }) => name === 'backup').runs.find(isOf(begun.body.job_id));
      await waitUntil('the task is done', LIMIT_MS, async () => (await newest())?.status === 'done');
      const { result } = await newest();
      expect(result).to.include({ removed: run < 2 ? 0 : 1 });
      made.push(result.backup);
      const { backups } = (await request(node, 'GET', '/v1/backups')).body;
      expect(backups.map(({ id }: { id: string }) => id)).to.deep.equal(made.slice(-2).reverse());
    }
    expect(readdirSync(from.backups).sort()).to.deep.equal(made.slice(-2));
    expect(new Set(made)).to.have.property('size', 4);
    await node.end();
  });

  it('do not bring back erased facts: the restored node repeats the erasure at its start', async () => {
    const env = { SVC_TOMBSTONES_ENABLED: 'true' };
    const node = await from.start(env);
    await request(node, 'POST', '/v1/facts', fact('user:gone', CANARY));
    await request(node, 'POST', '/v1/facts', fact('user:stays', 'something else'));
    const folder = await from.backUp();
    const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: 'user:gone' });
    const erased = await request(node, 'POST', `/v1/tombstones/${tombstone.id}/erase`, { confirm: 'user:gone' });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    await node.end();
    const listed = JSON.parse((await from.run(['backup', 'list', '--json'])).stdout).backups;
    expect(listed.map((one: { erasures_since: number }) => one.erasures_since)).to.deep.equal([1]);
    const restored = await from.run(['restore', folder, '--replace']);
    expect(restored.stdout).to.match(/^Erasures +1 since/m);
    expect(restored.stderr).to.not.include('missing');
    const elsewhere = await to.run(['restore', folder]);
    expect(elsewhere.stderr).to.include(`These files are missing in ${to.work.path('data')}.`);
    for (const [file, command] of [
      ['erasures.jsonl', 'tombstone list'],
      ['tombstones.jsonl', 'tombstone list'],
      ['revoked-keys', 'key list'],
      ['revoked-tokens', 'token list'],
      ['revoked-peerings', 'peer list'],
      ['spent-tokens', 'grant list'],
      ['suspended-tenants', 'tenant list'],
    ] as const) {
      expect(elsewhere.stderr).to.match(new RegExp(`^  ${file}: .*\\("fact-memory-node ${command}"\\)$`, 'm'));
    }
    expect(elsewhere.stderr).to.include('cancelled-subscriptions: ');
    const again = await from.start(env);
    const rowsWithCanary = async (): Promise<string[]> =>
      [...(await from.rows())].filter(([, rows]) => rows.some((row) => row.includes(CANARY))).map(([table]) => table);
    await waitUntil('the erasure is repeated', LIMIT_MS, async () => (await rowsWithCanary()).length === 0);
    expect((await request(again, 'GET', '/v1/facts?entity=user:stays')).body.facts).to.have.length(1);
    await again.end();
    const pruned = await from.run(['backup', 'prune', '--erased']);
    expect(pruned.stderr).to.equal('1 backup removed\n');
    if (kind === 'postgres') return;
    // An erasure ends by rewriting the database file, which the stop of the node may have prevented.
    const last = await from.start(env);
    const traces = () =>
      bytesBelow(from.work.path('data')).filter(
        ({ path, bytes }) => !path.includes('.before_') && bytes.includes(CANARY),
      );
    await waitUntil('no file holds the value', LIMIT_MS, () => traces().length === 0);
    await last.end();
  });

  it(`are complete or absent however the node and the backup are killed, ${ROUNDS} times`, async () => {
    let acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const node = await from.startApart();
      const load = new Load(node, `r${round}n`);
      await waitUntil('facts are stored', LIMIT_MS, () => load.acknowledged.length >= 10);
      const before = [...acknowledged, ...load.acknowledged];
      if (round % 3 === 2) {
        await from.killBackup();
        // Other backups are refused until the lease of the killed process expires.
        const isFree = async () => (await from.run(['backup', '--out', 'elsewhere'])).exitCode === 0;
        await waitUntil('the lease of the killed backup has ended', LIMIT_MS, isFree);
      }
      const backup = from.run(['backup']);
      // The node is killed during the backup; the next round removes the remains.
      if (round % 2 === 0) await node.end('SIGKILL');
      const made = await backup;
      await load.stop();
      if (round % 2 === 1) await node.end('SIGKILL');
      acknowledged = [...acknowledged, ...load.acknowledged];
      expect(made.exitCode, made.stderr).to.equal(0);
      const restored = await to.run(['restore', made.stdout.trim(), '--replace']);
      expect(restored.exitCode, restored.stderr).to.equal(0);
      const ids = ((await to.rows()).get('facts') ?? []).map((row) => JSON.parse(row).id);
      expect(ids).to.include.members(before);
      to.takeKeys(from);
      const verified = await to.run(['verify']);
      expect(verified.exitCode, verified.stdout).to.equal(0);
    }
    // A partial folder does not count as a backup, and the next backup removes it.
    mkdirSync(`${from.backups}/backup-20200101T000000000Z-00000000.partial`, { recursive: true });
    const { backups } = JSON.parse((await from.run(['backup', 'list', '--json'])).stdout);
    expect(backups).to.have.length(Math.min(ROUNDS, 7));
    await from.backUp();
    expect(readdirSync(from.backups).filter((name) => name.endsWith('.partial'))).to.deep.equal([]);
  }).timeout((ROUNDS + 1) * ROUND_LIMIT_MS);
});

const isOf =
  (jobId: string) =>
  (run: { readonly job_id: string }): boolean =>
    run.job_id === jobId;
