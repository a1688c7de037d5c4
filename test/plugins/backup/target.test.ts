import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { backupName } from '../../../plugins/backup/backup-folder.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { S3_BUCKET, type S3Server, s3Variables, startS3Server } from '../../kit/s3-server.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { BACKED_UP, BackupPlace, fact, request } from './backup-place.ts';

const LIMIT_MS = 120_000;
const PLACE = `s3://${S3_BUCKET}/nodes/one`;
/** Tables that a restore changes on purpose. */
const STEPPED = ['node_clock', 'leases'];

/** Kills a command right after it has removed a manifest. */
const DIES_AFTER_A_MANIFEST = `--import=data:text/javascript,${encodeURIComponent(`
  import promises from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const { rm } = promises;
  promises.rm = async (path, ...more) => {
    await rm(path, ...more);
    if (String(path).endsWith('/manifest.json')) process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();`)}`;

forEachStore('backups that are sent to a bucket', (kind) => {
  let server: S3Server;
  let from: BackupPlace;
  let to: BackupPlace;
  let env: Readonly<Record<string, string>>;
  beforeEach(async () => {
    server = await startS3Server();
    from = await BackupPlace.on(kind, BACKED_UP);
    to = await BackupPlace.on(kind, BACKED_UP);
    env = { ...s3Variables(server.url), SVC_BACKUP_TARGET: PLACE };
  });
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
    await server.close();
  });

  it('are listed, verified and restored onto an empty machine, which then has the same rows', async () => {
    const node = await from.start(env);
    for (let at = 0; at < 5; at += 1) await request(node, 'POST', '/v1/facts', fact(`user:u${at}`, `note ${at}`));
    await node.end();
    const made = await from.run(['backup'], env);
    expect(made.exitCode, made.stderr).to.equal(0);
    expect(made.stderr).to.include(`1 backup sent to ${PLACE}/, which has 1`);
    const id = readdirSync(from.backups).find((name) => name.startsWith('backup-')) ?? '';
    const bucket = s3Variables(server.url);
    const listed = await to.run(['backup', 'list', '--from', PLACE, '--json'], bucket);
    const backups = JSON.parse(listed.stdout).backups.map((one: { id: string; facts: number }) => [one.id, one.facts]);
    expect(backups).to.deep.equal([[id, 5]]);
    // Other writers of the bucket may choose any name.
    server.put(`nodes/one/${backupName(Date.UTC(2999, 0, 1), '1a2b3c4d-0000')}/manifest.json`, '{}');
    const verified = await to.run(['verify', '--from', PLACE], bucket);
    expect(verified.exitCode, verified.stderr).to.equal(0);
    const restored = await to.run(['restore', '--from', PLACE], bucket);
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const [before, after] = [await from.rows(), await to.rows()];
    for (const [table, rows] of before)
      if (!STEPPED.includes(table)) expect(after.get(table), table).to.deep.equal(rows);
    to.takeKeys(from);
    const again = await to.start();
    expect((await request(again, 'GET', '/v1/facts?entity=user:u3')).body.facts).to.have.length(1);
    await again.end();
  }).timeout(LIMIT_MS);

  it('are not restored when a byte of them has changed, and the place of the store stays empty', async () => {
    const node = await from.start();
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    await node.end();
    await from.run(['backup'], env);
    const [key = '', kept] = [...server.objects].find(([name]) => !name.endsWith('manifest.json')) ?? [];
    const body = Buffer.from(kept?.body ?? '');
    body[body.length - 1] = (body[body.length - 1] ?? 0) ^ 1;
    server.objects.set(key, { body, tag: '"changed"' });
    for (const command of [
      ['verify', '--from', PLACE],
      ['restore', '--from', PLACE],
    ]) {
      const refused = await to.run(command, s3Variables(server.url));
      expect(refused.exitCode, command[0]).to.equal(1);
      expect(refused.stderr).to.include('of the backup is missing or damaged');
    }
    expect(existsSync(to.work.path('data/svc.db'))).to.equal(false);
  }).timeout(LIMIT_MS);

  it('are made by the job of the node once, which goes on with sending until the bucket can be reached', async () => {
    let isCut = true;
    server.fault = () => (isCut ? 'cut' : undefined);
    const node = await from.start(env);
    await request(node, 'POST', '/v1/facts', fact('user:a', 'first'));
    const begun = await request(node, 'POST', '/v1/backups');
    await waitUntil('the bucket was tried', LIMIT_MS, () => server.requests.length > 0);
    isCut = false;
    const job = () => request(node, 'GET', `/v1/jobs/${begun.body.job_id}`);
    await waitUntil('the backup is sent', LIMIT_MS, async () => (await job()).body.status === 'done');
    expect((await job()).body).to.include({ sent: 1, kept_there: 1, target: `${PLACE}/` });
    expect(readdirSync(from.backups).filter((name) => name.startsWith('backup-'))).to.have.length(1);
    await node.end();
  }).timeout(LIMIT_MS);

  it('are named in receipts of erasures while they are locked', async () => {
    const known = { ...env, SVC_TOMBSTONES_ENABLED: 'true' };
    const node = await from.start(known);
    for (const name of ['a', 'b']) await request(node, 'POST', '/v1/facts', fact(`user:${name}`, 'something'));
    await from.run(['backup'], env);
    const erase = async (name: string): Promise<readonly string[]> => {
      const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: `user:${name}` });
      const path = `/v1/tombstones/${tombstone.id}/erase`;
      const { status, body } = await request(node, 'POST', path, { confirm: `user:${name}` });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.limits;
    };
    expect((await erase('a')).filter((limit) => limit.includes('s3://'))).to.deep.equal([]);
    for (const key of server.objects.keys()) server.locks.set(key, Date.UTC(2100, 0, 1));
    expect((await from.run(['backup', 'send'], env)).exitCode).to.equal(0);
    expect(await erase('b')).to.include(
      `backups in ${PLACE}/, which are locked until 2100-01-01T00:00:00.000Z at the latest`,
    );
    await node.end();
    const listed = await from.run(['backup', 'list', '--from', PLACE], env);
    expect(listed.stderr).to.include(`"fact-memory-node backup prune --erased --from ${PLACE}" removes backups`);
    const tried = await from.run(['backup', 'prune', '--erased', '--dry-run', '--from', PLACE], env);
    expect(tried.stderr).to.match(/^0 backups would be removed\nlocked, and still there: backup-/);
    const pruned = await from.run(['backup', 'prune', '--erased', '--from', PLACE], env);
    expect(pruned.stderr).to.match(/^0 backups removed\nlocked, and still there: backup-/);
  }).timeout(LIMIT_MS);

  it('are looked for in a folder that is there, and a missing one is no empty one', async () => {
    const missing = from.work.path('typo');
    for (const argv of [
      ['backup', 'list', '--from', missing],
      ['backup', 'prune', '--from', missing],
      ['verify', '--from', missing],
      ['restore', '--from', missing],
    ]) {
      const { exitCode, stderr } = await from.run(argv);
      expect([exitCode, stderr], argv.join(' ')).to.deep.equal([
        1,
        `error: there is no folder ${missing}\nhint: correct the path, or mount the disk that it lies on\n`,
      ]);
    }
    const node = await from.start();
    await node.end();
    const sent = await from.run(['backup'], { SVC_BACKUP_TARGET: missing });
    expect(sent.stderr).to.include(`1 backup sent to ${missing}, which has 1`);
  }).timeout(LIMIT_MS);

  it('go on to be removed after a kill in the middle, and those that are half sent stay', async () => {
    const target = from.work.path('target');
    const sending = { SVC_BACKUP_TARGET: target };
    const node = await from.start();
    await node.end();
    await from.run(['backup'], sending);
    const [old = ''] = readdirSync(target);
    await from.run(['backup'], sending);
    await from.run(['backup', 'prune', '--keep', '1'], sending);
    const halfSent = join(target, backupName(Date.UTC(2026, 0, 1), '1a2b3c4d-0000'));
    mkdirSync(halfSent);
    writeFileSync(join(halfSent, 'rows'), 'some');
    const prune = ['backup', 'prune', '--keep', '1', '--from', target];
    await from.kill(prune, () => false, 'SIGKILL', { ...sending, NODE_OPTIONS: DIES_AFTER_A_MANIFEST });
    expect(existsSync(join(target, old, 'manifest.json'))).to.equal(false);
    expect(existsSync(join(target, old))).to.equal(true);
    expect((await from.run(prune, sending)).exitCode).to.equal(0);
    expect([existsSync(join(target, old)), existsSync(halfSent)]).to.deep.equal([false, true]);
    expect(readdirSync(from.backups).filter((name) => name.startsWith('.prune'))).to.deep.equal([]);
  }).timeout(LIMIT_MS);

  it('leave room for those of each node when old ones are pruned, and damaged names take none', async () => {
    const node = await from.start();
    await node.end();
    for (let at = 0; at < 2; at += 1) await from.run(['backup'], env);
    const other = await to.start();
    await other.end();
    const elsewhere = `s3://${S3_BUCKET}/nodes/two`;
    await to.run(['backup'], { ...env, SVC_BACKUP_TARGET: elsewhere });
    for (const [key, kept] of [...server.objects]) {
      if (key.startsWith('nodes/two/')) server.objects.set(key.replace('nodes/two/', 'nodes/one/'), kept);
    }
    server.put(`nodes/one/${backupName(Date.now() - 1_000, '00000000-0000')}/manifest.json`, '{}');
    const { stdout, stderr } = await from.run(['backup', 'prune', '--keep', '1', '--from', PLACE], env);
    const [older] = readdirSync(from.backups)
      .filter((name) => name.startsWith('backup-'))
      .sort();
    expect([stdout, stderr]).to.deep.equal([`${older}\n`, '1 backup removed\n']);
  }).timeout(LIMIT_MS);

  it('never show credentials, in no output and no message', async () => {
    const said: string[] = [];
    const wrong = { ...env, SVC_BACKUP_TARGET: 's3://AKIDTESTTESTTEST:secret-of-the-bucket-0123456789@kept/x' };
    for (const [argv, given] of [
      [['start', '--print'], env],
      [['start', '--print'], wrong],
      [['backup', 'list', '--from', 's3://another'], env],
      [['backup', 'list', '--from', wrong.SVC_BACKUP_TARGET], env],
      [['backup', 'send'], { ...env, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }],
    ] as const) {
      const { stdout, stderr } = await from.run(argv, given);
      said.push(stdout, stderr);
    }
    expect(said.join('\n'))
      .to.include('s3://another/')
      .and.not.match(/AKIDTEST|secret-of-the-bucket/);
  }).timeout(LIMIT_MS);
});
