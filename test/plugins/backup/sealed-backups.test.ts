import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { operatorKeyId } from '../../../adapters/sealed/data-keys.ts';
import { backupName } from '../../../plugins/backup/backup-folder.ts';
import { readManifest, spellManifest } from '../../../plugins/backup/manifest-json.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { S3_BUCKET, type S3Server, s3Variables, startS3Server } from '../../kit/s3-server.ts';
import { BACKED_UP, BackupPlace, bytesBelow, fact, request } from './backup-place.ts';
import { holdKeys } from './sealed-place.ts';

const LIMIT_MS = 120_000;
const PLACE = `s3://${S3_BUCKET}/nodes/one`;
const CANARY = 'canary-7f3a9c';

forEachStore('sealed backups', (kind) => {
  let server: S3Server;
  let from: BackupPlace;
  let to: BackupPlace;
  const key = randomBytes(32);
  const newKey = randomBytes(32);
  beforeEach(async () => {
    server = await startS3Server();
    from = await BackupPlace.on(kind, BACKED_UP);
    to = await BackupPlace.on(kind, BACKED_UP);
  });
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
    await server.close();
  });

  /** Variables of a machine with these keys, the present one first. */
  const holding = (place: BackupPlace, ...keys: readonly Buffer[]): Record<string, string> => ({
    ...s3Variables(server.url),
    ...holdKeys(place, ...keys),
  });
  const remember = async (text: string): Promise<void> => {
    const node = await from.start();
    await request(node, 'POST', '/v1/facts', fact('user:a', text));
    await node.end();
  };
  /** Beginnings of files of the backups in the folder, and words of them, for a backup may be compressed. */
  const tellingBytes = (): Buffer[] => [
    Buffer.from(CANARY),
    Buffer.from('"node_id"'),
    ...bytesBelow(from.backups).flatMap(({ bytes }) => (bytes.length < 64 ? [] : [bytes.subarray(0, 64)])),
  ];
  const shownIn = (files: readonly Buffer[]): Buffer[] =>
    tellingBytes().filter((telling) => files.some((bytes) => bytes.includes(telling)));

  it('show no word of a fact to their target, and are restored with the key on an empty machine', async () => {
    await remember(CANARY);
    const folder = from.work.path('target');
    for (const target of [PLACE, folder]) {
      const sent = await from.run(['backup'], { ...holding(from, key), SVC_BACKUP_TARGET: target });
      expect(sent.exitCode, sent.stderr).to.equal(0);
    }
    const files = bytesBelow(folder).map(({ bytes }) => bytes);
    expect(files.length).to.be.greaterThan(2);
    expect(shownIn(files)).to.deep.equal([]);
    expect(shownIn([...server.objects.values()].map(({ body }) => body))).to.deep.equal([]);
    for (const place of [PLACE, folder]) {
      const verified = await to.run(['verify', '--from', place], holding(to, key));
      expect(verified.exitCode, verified.stderr).to.equal(0);
    }
    const restored = await to.run(['restore', '--from', PLACE], holding(to, key));
    expect(restored.exitCode, restored.stderr).to.equal(0);
    to.takeKeys(from);
    const again = await to.start(holding(to, key));
    expect((await request(again, 'GET', '/v1/facts?entity=user:a')).body.facts[0].value.v).to.equal(CANARY);
    await again.end();
    const clear = from.work.path('clear');
    await from.run(['backup'], { SVC_BACKUP_TARGET: clear });
    // The record of the target stays here, and PostgreSQL's rows are compressed.
    const missing = kind === 'sqlite' ? 1 : 2;
    expect(shownIn(bytesBelow(clear).map(({ bytes }) => bytes))).to.have.length(tellingBytes().length - missing);
  }).timeout(LIMIT_MS);

  it('need their key before anything is touched, and the error names it', async () => {
    await remember('first');
    await from.run(['backup'], { ...holding(from, key), SVC_BACKUP_TARGET: PLACE });
    for (const keys of [[], [newKey]]) {
      for (const command of ['verify', 'restore']) {
        const refused = await to.run([command, '--from', PLACE], holding(to, ...keys));
        expect(refused.exitCode, command).to.equal(1);
        expect(refused.stderr).to.include(`is sealed with the key ${operatorKeyId(key)}`);
        expect(refused.stderr.includes('on a line after the present key')).to.equal(keys.length > 0);
      }
    }
    expect(existsSync(to.work.path('data/svc.db'))).to.equal(false);
    const listed = await to.run(['backup', 'list', '--from', PLACE], holding(to));
    expect(listed.stdout).to.match(/^backup-\S+ +sealed/m);
    expect(listed.stderr).to.include(operatorKeyId(key));
    const pruned = await to.run(['backup', 'prune', '--from', PLACE, '--keep', '1'], holding(to));
    expect(pruned.stderr).to.match(/^0 backups removed\nnot looked into, because their key is missing: backup-/);
    // Without its key a node sends nothing in the clear beside sealed backups.
    for (const keys of [[], [newKey]]) {
      const refused = await from.run(['backup', 'send'], { ...holding(from, ...keys), SVC_BACKUP_TARGET: PLACE });
      expect(refused.stderr).to.include(`has backups that are sealed with the key ${operatorKeyId(key)}`);
    }
    const before = [...server.objects.keys()];
    const lost = { ...holding(from, key), SVC_BACKUP_TARGET: PLACE, SVC_ENCRYPTION_KEY_FILE: from.work.path('gone') };
    for (const command of [['start'], ['backup', 'send'], ['backup']]) {
      const refused = await from.run(command, lost);
      expect(refused.exitCode, command.join(' ')).to.not.equal(0);
      expect(refused.stderr).to.include('cannot be read (ENOENT)');
      expect(refused.stderr.includes('the backup is in the folder, and sending failed')).to.equal(
        command.length === 1 && command[0] === 'backup',
      );
    }
    expect([...server.objects.keys()]).to.deep.equal(before);
  }).timeout(LIMIT_MS);

  it('go on after a cut, and lie beside clear ones, which a restore without a name passes over', async () => {
    await remember('first');
    const target = { SVC_BACKUP_TARGET: PLACE };
    await from.run(['backup'], { ...holding(from), ...target });
    server.fault = ({ method, key: name }) => (method === 'PUT' && name.endsWith('manifest.json') ? 'cut' : undefined);
    expect((await from.run(['backup'], { ...holding(from, key), ...target })).exitCode).to.equal(1);
    server.fault = () => undefined;
    server.requests.length = 0;
    const sent = await from.run(['backup', 'send'], { ...holding(from, key), ...target });
    expect(sent.stderr).to.include('2 backups sent');
    const [clear = '', cut = ''] = readdirSync(from.backups).filter((name) => name.startsWith('backup-'));
    const written = server.requests.filter((one) => one.startsWith('PUT'));
    expect(written.filter((one) => one.includes(cut)).map((one) => one.includes('manifest.json'))).to.deep.equal([
      true,
    ]);
    // The clear one, which the folder still has, is sent again as a whole.
    expect(written.find((one) => one.includes(clear))).to.include('seal.json');
    // The clear one is the newest, as of somebody who wants it to be restored.
    await from.run(['backup'], holding(from));
    const [, sealed, planted = ''] = readdirSync(from.backups).filter((name) => name.startsWith('backup-'));
    for (const { path, bytes } of bytesBelow(join(from.backups, planted))) {
      server.objects.set(`nodes/one/${planted}/${basename(path)}`, { body: bytes, tag: '"planted"' });
    }
    const listed = await to.run(['backup', 'list', '--from', PLACE, '--json'], holding(to, key));
    expect(JSON.parse(listed.stdout).backups.map((one: { readable: boolean }) => one.readable)).to.deep.equal([
      true,
      true,
      true,
    ]);
    const sealing = JSON.parse(listed.stdout).backups.map((one: { sealed: boolean }) => one.sealed);
    expect(sealing).to.deep.equal([false, true, true]);
    const shown = await to.run(['backup', 'list', '--from', PLACE], holding(to, key));
    expect(shown.stdout).to.match(/^backup +made +facts +size +node key +sealed +erased since\n/);
    expect([...shown.stdout.matchAll(/ no +(yes|no) +\d+$/gm)].map(([, is]) => is)).to.deep.equal(['no', 'yes', 'yes']);
    const verified = await to.run(['verify', '--from', PLACE, '--json'], holding(to, key));
    expect(JSON.parse(verified.stdout)).to.include({ ok: true, backup: sealed });
  }).timeout(LIMIT_MS);

  it('are opened by a new key after a rewrap alone, with the private key of the node inside', async () => {
    await remember('first');
    await from.run(['backup', '--with-key'], { ...holding(from, key), SVC_BACKUP_TARGET: PLACE });
    const refused = await from.run(['backup', 'rewrap', '--from', PLACE], holding(from, newKey));
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include(`needs the key ${operatorKeyId(key)}, which is not given`);
    const planted = backupName(0, '00000001-');
    server.put(`nodes/one/${planted}/seal.json`, '{}');
    const done = await from.run(['backup', 'rewrap', '--from', PLACE], holding(from, newKey, key));
    expect(done.exitCode, done.stderr).to.equal(1);
    expect(done.stdout).to.match(/^backup-\S+\n$/);
    expect(done.stderr).to.include(`1 backup rewrapped`).and.include(`${planted}: its seal is damaged`);
    server.objects.delete(`nodes/one/${planted}/seal.json`);
    const again = await from.run(['backup', 'rewrap', '--from', PLACE], holding(from, newKey, key));
    expect(again.exitCode, again.stderr).to.equal(0);
    expect((await to.run(['verify', '--from', PLACE], holding(to, key))).exitCode).to.equal(1);
    const restored = await to.run(['restore', '--from', PLACE], holding(to, newKey));
    expect(restored.exitCode, restored.stderr).to.equal(0);
    expect(restored.stdout).to.include('put back from the backup');
  }).timeout(LIMIT_MS);

  it('lose no place to clear ones that somebody planted, in a send and in a pruning', async () => {
    await remember('first');
    const folder = from.work.path('target');
    const sending = { ...holding(from, key), SVC_BACKUP_TARGET: folder, SVC_BACKUP_KEEP: '2' };
    for (const time of ['first', 'second']) expect((await from.run(['backup'], sending)).exitCode, time).to.equal(0);
    const sealed = readdirSync(folder);
    expect(sealed).to.have.length(2);
    const manifest = readManifest(readFileSync(join(from.backups, sealed[0] ?? '', 'manifest.json'), 'utf8'));
    const planted = ['00000001-', '00000002-'].map((end) => backupName(Date.now(), end));
    for (const id of planted) {
      mkdirSync(join(folder, id));
      const text = spellManifest({ ...manifest, id, copy: { ...manifest.copy, files: [] } });
      writeFileSync(join(folder, id, 'manifest.json'), text);
    }
    const sent = await from.run(['backup', 'send'], sending);
    expect(sent.exitCode, sent.stderr).to.equal(0);
    const pruned = await from.run(['backup', 'prune', '--from', folder, '--keep', '2'], sending);
    expect(pruned.stderr).to.equal('0 backups removed\n');
    expect(readdirSync(folder)).to.have.members([...sealed, ...planted]);
    const cut = await from.run(['backup', 'prune', '--from', folder, '--keep', '1'], sending);
    expect(cut.stdout.trim().split('\n')).to.have.members([[...sealed].sort()[0], planted[0]]);
  }).timeout(LIMIT_MS);

  it('are not taken from a clear one that somebody put in their place, and are sent again', async () => {
    await remember('first');
    const folder = from.work.path('target');
    const sending = { ...holding(from, key), SVC_BACKUP_TARGET: folder };
    expect((await from.run(['backup', '--with-key'], sending)).exitCode).to.equal(0);
    const [name = ''] = readdirSync(folder);
    rmSync(join(folder, name), { recursive: true });
    cpSync(join(from.backups, name), join(folder, name), { recursive: true });
    for (const command of [['verify'], ['verify', '--backup', name], ['restore'], ['restore', name]]) {
      const refused = await to.run([...command, '--from', folder], holding(to, key));
      expect(refused.exitCode, command.join(' ')).to.equal(1);
      expect(refused.stderr).to.include(`${name} lies in the clear`);
    }
    expect(existsSync(to.work.path('data/node.key'))).to.equal(false);
    const used = await to.run(['verify', '--from', folder, '--backup', name], holding(to));
    expect(used.exitCode, used.stderr).to.equal(0);
    expect((await from.run(['backup', 'send'], sending)).stderr).to.include('1 backup sent');
    const verified = await to.run(['verify', '--from', folder, '--backup', name], holding(to, key));
    expect(verified.exitCode, verified.stderr).to.equal(0);
  }).timeout(LIMIT_MS);

  it('are sent although somebody planted a clear one of their name with a seal beside it', async () => {
    await remember('first');
    const folder = from.work.path('target');
    await from.run(['backup'], { ...holding(from), SVC_BACKUP_TARGET: folder });
    const [name = ''] = readdirSync(folder);
    const seal = { format: 1, key_id: operatorKeyId(key), sealed_key: Buffer.alloc(60).toString('base64') };
    writeFileSync(join(folder, name, 'seal.json'), JSON.stringify(seal));
    const sending = { ...holding(from, key), SVC_BACKUP_TARGET: folder };
    expect((await from.run(['backup', 'send'], sending)).stderr).to.include('1 backup sent');
    const verified = await to.run(['verify', '--from', folder, '--backup', name], holding(to, key));
    expect(verified.exitCode, verified.stderr).to.equal(0);
    expect((await from.run(['backup', 'send'], sending)).stderr).to.include('0 backups sent');
  }).timeout(LIMIT_MS);
});
