import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { BackupPlace, fact, request } from './backup-place.ts';

const LIMIT_MS = 120_000;
const PLUGINS = fewPlugins('backup', 'fact-chain', 'jobs', 'metrics', 'tombstones', 'upkeep');
const TOMBSTONES = { SVC_TOMBSTONES_ENABLED: 'true' };

forEachStore('a restore drill', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, PLUGINS);
  });
  afterEach(() => place.dispose());

  const unfreeze = kind === 'postgres' ? 'ALTER TABLE facts DISABLE TRIGGER USER' : 'DROP TRIGGER facts_refuse_update';
  const drillFolders = (): string[] => readdirSync(place.backups).filter((name) => name.startsWith('drill-'));

  it('restores the newest backup beside the node, checks it, compares facts, and leaves nothing', async () => {
    const node = await place.start();
    for (let at = 0; at < 5; at += 1) await request(node, 'POST', '/v1/facts', fact(`user:u${at}`, `note ${at}`));
    await place.backUp();
    const newest = basename(await place.backUp());
    await request(node, 'POST', '/v1/facts', fact('user:later', 'later'));
    const drilled = await place.run(['backup', 'drill']);
    expect(drilled.exitCode, drilled.stderr).to.equal(0);
    expect(drilled.stdout).to.match(
      new RegExp(`^${newest}: restored; checks that hold: (\\d+) of \\1; facts that are equal: 5 of 5 compared\n$`),
    );
    expect(drillFolders()).to.deep.equal([]);
    expect(await place.spareDatabases()).to.deep.equal([]);
    expect((await request(node, 'GET', '/v1/facts')).body.facts).to.have.length(6);
    await node.end();
  }).timeout(LIMIT_MS);

  it('fetches a backup from a target, and keeps nothing of it', async () => {
    const node = await place.start();
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    await node.end();
    const target = place.work.path('elsewhere');
    const id = basename(await place.backUp());
    await place.run(['backup', 'send'], { SVC_BACKUP_TARGET: target });
    rmSync(place.backups, { recursive: true });
    const drilled = await place.run(['backup', 'drill', '--from', target, '--json']);
    expect(drilled.exitCode, drilled.stderr).to.equal(0);
    expect(JSON.parse(drilled.stdout)).to.deep.include({ ok: true, backup: id, compared: 1, differences: [] });
    expect(readdirSync(place.backups)).to.deep.equal(['drill.json']);
  }).timeout(LIMIT_MS);

  it('finds erased facts gone in both stores, and fails where the journal of erasures is lost', async () => {
    const node = await place.start(TOMBSTONES);
    for (const name of ['gone', 'stays']) await request(node, 'POST', '/v1/facts', fact(`user:${name}`, 'something'));
    await place.backUp();
    const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: 'user:gone' });
    const erased = await request(node, 'POST', `/v1/tombstones/${tombstone.id}/erase`, { confirm: 'user:gone' });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    const good = await place.run(['backup', 'drill'], TOMBSTONES);
    expect(good.exitCode, good.stdout + good.stderr).to.equal(0);
    expect(good.stdout).to.include('facts that are equal: 2 of 2 compared (1 of them erased since this backup)\n');
    await node.end();
    rmSync(place.work.path('data/erasures.jsonl'));
    const bad = await place.run(['backup', 'drill'], TOMBSTONES);
    expect(bad.exitCode).to.equal(1);
    expect(bad.stdout).to.include('is erased or damaged in the store, and readable after a restore');
    expect(bad.stdout).to.not.include('something');
  }).timeout(LIMIT_MS);

  it('finds facts equal whose reference to another fact was erased since the backup', async () => {
    const node = await place.start(TOMBSTONES);
    const { body: cited } = await request(node, 'POST', '/v1/facts', fact('user:gone', 'something'));
    const { body: kept } = await request(node, 'POST', '/v1/facts', fact('user:kept', 'something'));
    const citing = { ...fact('user:stays', 'concluded'), derived_from: [cited.cid, kept.cid] };
    const { status, body: concluded } = await request(node, 'POST', '/v1/facts', citing);
    expect(status, JSON.stringify(concluded)).to.equal(201);
    await place.backUp();
    const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: 'user:gone' });
    const erased = await request(node, 'POST', `/v1/tombstones/${tombstone.id}/erase`, { confirm: 'user:gone' });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    const drilled = await place.run(['backup', 'drill'], TOMBSTONES);
    expect(drilled.exitCode, drilled.stdout + drilled.stderr).to.equal(0);
    expect(drilled.stdout).to.include('facts that are equal: 3 of 3 compared (1 of them erased since this backup)\n');
    await node.end();
    const others = JSON.stringify([cited.cid, cited.cid]);
    await place.tamper(unfreeze, `UPDATE facts SET derived_from = '${others}' WHERE id = '${concluded.id}'`);
    const differs = await place.run(['backup', 'drill'], TOMBSTONES);
    expect(differs.stdout).to.include(`the fact ${concluded.id} of the tenant default`);
    expect(differs.exitCode).to.equal(1);
  }).timeout(LIMIT_MS);

  it('fails for a damaged backup and for a fact that the store has lost', async () => {
    const node = await place.start();
    for (const name of ['a', 'b']) await request(node, 'POST', '/v1/facts', fact(`user:${name}`, 'something'));
    await node.end();
    const folder = await place.backUp();
    const named = "WHERE entity = 'user:a' OR entity_key = 'user:a'";
    await place.tamper(unfreeze, `UPDATE facts SET session_id = 'another' ${named}`);
    const differs = await place.run(['backup', 'drill']);
    expect(differs.exitCode).to.equal(1);
    expect(differs.stdout).to.match(/^the fact \S+ of the tenant default differs in its value or its provenance\n/);
    await place.tamper(`UPDATE facts SET value_v = '"forged"' ${named}`);
    const forged = await place.run(['backup', 'drill']);
    expect(forged.stdout).to.match(/^the fact \S+ of the tenant default is erased or damaged in the store/);
    expect(forged.stdout).to.not.include('forged');
    const [file = ''] = readdirSync(folder).filter((name) => name !== 'manifest.json');
    rmSync(`${folder}/${file}`);
    const damaged = await place.run(['backup', 'drill']);
    expect(damaged.exitCode).to.equal(1);
    expect(damaged.stderr).to.include('of the backup is missing or damaged');
    expect(drillFolders()).to.deep.equal([]);
  }).timeout(LIMIT_MS);

  it('leaves an older store as it is, and says that another version serves it', async () => {
    const node = await place.start();
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    await node.end();
    await place.backUp();
    const forget = "DELETE FROM schema_migrations WHERE version LIKE '030%'";
    await place.tamper('DROP TABLE upkeep_runs', 'DROP TABLE upkeep_plans', forget);
    const before = await place.rows();
    for (const command of [['backup', 'drill'], ['verify']]) {
      const refused = await place.run(command);
      expect(refused.exitCode, refused.stdout).to.equal(1);
      expect(refused.stderr).to.include('the store is older than this program');
      expect(await place.rows()).to.deep.equal(before);
    }
    expect(readdirSync(place.backups)).to.not.include('drill.json');
  }).timeout(LIMIT_MS);

  it('records no outcome for a name that is no backup, nor while another process drills', async () => {
    await place.run(['init']);
    await place.backUp();
    const unknown = await place.run(['backup', 'drill', 'backup-20260101T000000000Z-1a2b3c4d']);
    expect(unknown.exitCode).to.equal(1);
    expect(unknown.stderr).to.include('is no backup');
    // A lease ends after half a minute, by the clock of the database.
    const untilMs = Date.now() + 29_000;
    await place.tamper(`INSERT INTO leases (name, holder, fence, until_ms) VALUES ('store.drill', 'a', 1, ${untilMs})`);
    const busy = await place.run(['backup', 'drill']);
    expect(busy.exitCode).to.equal(1);
    expect(busy.stderr).to.include('another process makes a drill of this store');
    expect(readdirSync(place.backups)).to.not.include('drill.json');
  }).timeout(LIMIT_MS);

  it('records a failure for a named backup whose manifest is damaged', async () => {
    await place.run(['init']);
    const folder = await place.backUp();
    writeFileSync(`${folder}/manifest.json`, '{}');
    const failed = await place.run(['backup', 'drill', basename(folder)]);
    expect(failed.exitCode).to.equal(1);
    expect(failed.stderr).to.include('the manifest of the backup is damaged');
    expect(JSON.parse(readFileSync(`${place.backups}/drill.json`, 'utf8'))).to.include({ ok: false });
  }).timeout(LIMIT_MS);

  it('removes what a killed drill has left, and nothing of another node', async () => {
    await place.run(['init']);
    await place.backUp();
    const others = 'drill-12345678-1a2b3c4d';
    mkdirSync(`${place.backups}/${others}`);
    await place.kill(['backup', 'drill'], () => drillFolders().some((name) => name !== others));
    await place.endLeases();
    const next = await place.run(['backup', 'drill']);
    expect(next.exitCode, next.stderr).to.equal(0);
    expect(drillFolders()).to.deep.equal([others]);
    expect(await place.spareDatabases()).to.deep.equal([]);
  }).timeout(2 * LIMIT_MS);

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`leaves nothing after ${signal}, and records no failure`, async () => {
      await place.run(['init']);
      await place.backUp();
      await place.kill(['backup', 'drill'], () => drillFolders().length > 0, signal);
      expect(drillFolders()).to.deep.equal([]);
      expect(await place.spareDatabases()).to.deep.equal([]);
      const record = `${place.backups}/drill.json`;
      if (existsSync(record)) expect(readFileSync(record, 'utf8'), 'it had ended').to.include('"ok":true');
      const next = await place.run(['backup', 'drill']);
      expect(next.exitCode, next.stderr).to.equal(0);
    }).timeout(LIMIT_MS);
  }

  it('runs by the task of the node, and shows in the metrics', async () => {
    const node = await place.startApart();
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    const drill = async (): Promise<Record<string, unknown>> => {
      const begun = await request(node, 'POST', '/v1/upkeep/drill/run');
      expect(begun.status, JSON.stringify(begun.body)).to.equal(202);
      const job = () => request(node, 'GET', `/v1/jobs/${begun.body.job_id}`);
      await waitUntil('the task has ended', LIMIT_MS, async () =>
        ['done', 'failed'].includes((await job()).body.status),
      );
      return (await job()).body;
    };
    const metrics = async (): Promise<string> => {
      const { Authorization } = { Authorization: `Bearer ${place.env['SVC_BOOTSTRAP_KEY']}` };
      return (await fetch(`${node.url}/v1/metrics`, { headers: { Authorization } })).text();
    };
    expect(await metrics()).to.not.match(/^svc_backup_drill_ok /m);
    expect(await drill()).to.include({ status: 'failed' });
    expect(await metrics()).to.not.match(/^svc_backup_drill_last_success/m);
    const id = basename(await place.backUp());
    const done = await drill();
    expect(done, JSON.stringify(done)).to.include({ status: 'done', backup: id, compared: 1 });
    // A scrape leaves out the gauges that a busy machine cannot read in time.
    for (const line of [/^svc_backup_drill_ok 1$/m, /^svc_backup_drill_last_success_timestamp_seconds \d+$/m]) {
      await waitUntil(`the metrics match ${line}`, LIMIT_MS, async () => line.test(await metrics()));
    }
    expect(JSON.parse(readFileSync(`${place.backups}/drill.json`, 'utf8'))).to.include({ ok: true });
    await node.end();
  }).timeout(2 * LIMIT_MS);
});
