import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createObjectStores } from '../../../config/object-stores.ts';
import { backupName, listBackups, MAX_MANIFEST_BYTES } from '../../../plugins/backup/backup-folder.ts';
import { fetchBackup } from '../../../plugins/backup/fetch-backup.ts';
import { type Manifest, spellManifest } from '../../../plugins/backup/manifest-json.ts';
import { readRetention } from '../../../plugins/backup/retained-backups.ts';
import { removeSent, type SendResult, sendBackups } from '../../../plugins/backup/send-backups.ts';
import {
  checkSent,
  chosenBackup,
  listSent,
  sentBackups,
  wholeBackups,
} from '../../../plugins/backup/target-backups.ts';
import type { ObjectStore } from '../../../ports/ports.ts';
import { rejection } from '../../kit/rejection.ts';
import { S3_BUCKET, type S3Server, s3Variables, startS3Server } from '../../kit/s3-server.ts';

const DAY_MS = 86_400_000;
const nameOf = (day: number): string => backupName(Date.UTC(2026, 0, 1) + day * DAY_MS, '1a2b3c4d-0000');
const NOW_MS = Date.UTC(2026, 5, 1);

describe('backups in a bucket', () => {
  let server: S3Server;
  let target: ObjectStore;
  let folder: string;
  beforeEach(async () => {
    server = await startS3Server();
    target = await createObjectStores(s3Variables(server.url)).open(`s3://${S3_BUCKET}/node`);
    folder = mkdtempSync(join(tmpdir(), 'sent-'));
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const fileOf = (name: string, text: string) => ({
    name,
    bytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  });
  const manifestOf = (id: string, members: Partial<Manifest> = {}, nodeId = 'node-1'): Manifest => ({
    id,
    createdAt: '2026-01-01T00:00:00.000Z',
    copy: {
      layout: 'test',
      files: [fileOf('one', `one of ${id}`), fileOf('two', `two of ${id}`)],
      nodeId,
      epoch: 'e',
      head: null,
      ledgers: [],
      tables: { facts: 3 },
      migrations: [],
    },
    keyFiles: [],
    ...members,
  });
  const make = (day: number, members: Partial<Manifest> = {}, nodeId?: string): string => {
    const id = nameOf(day);
    mkdirSync(join(folder, id));
    for (const name of ['one', 'two']) writeFileSync(join(folder, id, name), `${name} of ${id}`);
    writeFileSync(join(folder, id, 'manifest.json'), spellManifest(manifestOf(id, members, nodeId)));
    return id;
  };
  const send = (periods = '', newest = 7, nodeId = 'node-1'): Promise<SendResult> =>
    sendBackups({ folder, target, retention: readRetention(newest, periods), nodeId, nowMs: NOW_MS });

  it('are sent newest first, the manifest last, and never twice', async () => {
    const [older, newer] = [make(1), make(2)];
    expect(await send()).to.deep.include({ sent: [newer, older], removed: [] });
    const written = server.requests.filter((one) => one.startsWith('PUT')).map((one) => one.replace(/\?.*/, ''));
    const files = (id: string): string[] => ['one', 'two', 'manifest.json'].map((name) => `PUT node/${id}/${name}`);
    expect(written).to.deep.equal([...files(newer), ...files(older)]);
    expect(await send()).to.deep.include({ sent: [], removed: [] });
    expect((await listSent(target, [])).map(({ id, facts, damage }) => ({ id, facts, damage }))).to.deep.equal([
      { id: newer, facts: 3, damage: null },
      { id: older, facts: 3, damage: null },
    ]);
  });

  it('are none until they are whole, and are completed by the next run', async () => {
    const id = make(1);
    server.fault = ({ method, key }) => (method === 'PUT' && key.endsWith('/two') ? 'cut' : undefined);
    expect(await rejection(send())).to.include({ code: 'unavailable' });
    expect(wholeBackups(await sentBackups(target))).to.deep.equal([]);
    server.fault = () => undefined;
    server.requests.length = 0;
    expect(await send()).to.deep.include({ sent: [id] });
    expect(server.requests.filter((one) => one.startsWith(`PUT node/${id}/one`))).to.deep.equal([]);
    expect((await checkSent(target, id)).id).to.equal(id);
  }).timeout(30_000);

  it('stay by days and weeks, although the folder has only the newest', async () => {
    const made: string[] = [];
    for (let day = 0; day < 13; day += 1) {
      made.push(make(day));
      await send('3d 2w', 1);
      rmSync(join(folder, made.at(-1) ?? ''), { recursive: true });
    }
    const kept = wholeBackups(await sentBackups(target));
    // 2026-01-13 is a Tuesday, so the last backup of the week before is that of Sunday, which is one of the days too.
    expect(kept).to.deep.equal([made[12], made[11], made[10]]);
  });

  it('leave the target one by one when they do not stay, but not while they are locked', async () => {
    const [first, second, third] = [make(1), make(2), make(3)];
    await send();
    server.locks.set(`node/${first}/manifest.json`, Date.UTC(2100, 0, 1));
    const pruned = await send('', 1);
    expect(pruned.removed).to.deep.equal([second]);
    expect(pruned.there).to.deep.equal([
      { name: third, lock: null },
      { name: first, lock: { untilMs: Date.UTC(2100, 0, 1) } },
    ]);
    expect((await checkSent(target, first)).id).to.equal(first);
    server.locks.clear();
    expect((await send('', 1)).removed).to.deep.equal([first]);
    expect([...server.objects.keys()].every((key) => key.startsWith(`node/${third}/`))).to.equal(true);
  });

  it('leave no parts of backups that were never completed', async () => {
    const id = make(1);
    server.put(`node/${nameOf(0)}/one`, 'half');
    server.uploads.set('left', { key: `node/${nameOf(0)}/two`, parts: new Map() });
    await send();
    expect([...server.objects.keys()].every((key) => key.startsWith(`node/${id}/`))).to.equal(true);
    expect(server.uploads.size).to.equal(0);
  });

  it('are fetched whole, go on after a cut, and replace what a network has damaged', async () => {
    const id = make(1);
    await send();
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(join(elsewhere, `${id}.partial`), { recursive: true });
    writeFileSync(join(elsewhere, `${id}.partial`, 'one'), 'one of ba');
    writeFileSync(join(elsewhere, `${id}.partial`, 'two'), 'other bytes');
    const path = await fetchBackup(target, id, elsewhere);
    expect(path).to.equal(join(elsewhere, id));
    for (const name of ['one', 'two', 'manifest.json']) {
      expect(readFileSync(join(path, name), 'utf8')).to.equal(readFileSync(join(folder, id, name), 'utf8'));
    }
    server.requests.length = 0;
    expect(await fetchBackup(target, id, elsewhere)).to.equal(path);
    expect(server.requests).to.have.length(1);
  });

  it('are fetched although an earlier run ended between its manifest and the renaming', async () => {
    const id = make(1);
    await send();
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(join(elsewhere, `${id}.partial`), { recursive: true });
    writeFileSync(join(elsewhere, `${id}.partial`, 'manifest.json'), '{"half":');
    const path = await fetchBackup(target, id, elsewhere);
    const files = [path, join(folder, id)].map((one) => readFileSync(join(one, 'manifest.json'), 'utf8'));
    expect(files[0]).to.equal(files[1]);
  });

  it('are refused when a byte has changed, and nothing of them is kept as a backup', async () => {
    const id = make(1);
    await send();
    server.put(`node/${id}/two`, `two of ${id.replace('backup', 'backuq')}`);
    for (const work of [checkSent(target, id), fetchBackup(target, id, join(folder, 'elsewhere'))]) {
      expect((await rejection(work)).message).to.equal('the file two of the backup is missing or damaged');
    }
    expect(readdirSync(join(folder, 'elsewhere'))).to.deep.equal([`${id}.partial`]);
    server.put(`node/${id}/two`, `two of ${id} and more`);
    expect(await rejection(checkSent(target, id))).to.include({ code: 'validation' });
    server.objects.delete(`node/${id}/two`);
    expect(await rejection(checkSent(target, id))).to.include({ code: 'validation' });
  });

  it('count for nothing under names that somebody else has made up', async () => {
    const id = make(1);
    await send();
    for (const key of ['../x', `${id}/deeper/one`, 'backup-x/manifest.json', 'other/manifest.json']) {
      server.put(`node/${key}`, 'x');
    }
    server.put(`node/${nameOf(9)}/manifest.json`, spellManifest(manifestOf(id)));
    server.put(`node/${nameOf(8)}/manifest.json`, 'no manifest');
    expect((await listSent(target, [])).map((one) => [one.id, one.damage === null])).to.deep.equal([
      [nameOf(9), false],
      [nameOf(8), false],
      [id, true],
    ]);
    for (const name of [nameOf(8), nameOf(9)]) {
      expect(await rejection(fetchBackup(target, name, folder))).to.include({ code: 'validation' });
    }
    for (const name of ['../x', 'other', `${id}/..`]) {
      expect(await rejection(chosenBackup(target, name, NOW_MS))).to.include({ code: 'validation' });
    }
    expect(await rejection(chosenBackup(target, nameOf(5), NOW_MS))).to.include({ code: 'lookup' });
    // The damaged ones are not in the way of a further backup.
    expect((await send()).there).to.have.length(3);
    const strict: ObjectStore = { ...target, unfinished: () => expect.fail('a place may refuse to list these') };
    expect(await removeSent(strict, (name) => name === nameOf(9))).to.deep.equal([nameOf(9)]);
  });

  it('are listed as damaged, with the reason, when their manifest is missing or made up', async () => {
    const id = make(1);
    await send();
    server.put(`node/${nameOf(2)}/one`, 'half');
    server.put(`node/${nameOf(3)}/manifest.json`, 'no manifest');
    const listed = async (): Promise<unknown[]> => (await listSent(target, [])).map((one) => [one.id, one.damage]);
    expect(await listed()).to.deep.equal([
      [nameOf(3), 'the manifest of the backup is damaged'],
      [nameOf(2), 'it was not completed, or its manifest.json is no file'],
      [id, null],
    ]);
  });

  it('are listed as damaged in a folder, too, where a manifest is a link, a folder or too long', async () => {
    const id = make(1);
    const [linked, nested, long, broken] = [make(2), make(3), make(4), make(5)];
    for (const one of [linked, nested, long, broken]) rmSync(join(folder, one, 'manifest.json'));
    symlinkSync(join(folder, id, 'manifest.json'), join(folder, linked, 'manifest.json'));
    mkdirSync(join(folder, nested, 'manifest.json'));
    writeFileSync(join(folder, long, 'manifest.json'), '');
    truncateSync(join(folder, long, 'manifest.json'), MAX_MANIFEST_BYTES + 1);
    writeFileSync(join(folder, broken, 'manifest.json'), '{');
    const there = await createObjectStores({}).open(folder);
    const here = await listBackups(folder, []);
    expect(here.map((one) => one.id)).to.deep.equal([broken, long, nested, linked, id]);
    for (const listed of [here, await listSent(there, [])]) {
      expect(listed.map(({ damage }) => damage === null)).to.deep.equal([false, false, false, false, true]);
    }
    expect(here.map(({ damage }) => damage?.split('/').at(-1))).to.deep.equal([
      'the manifest of the backup is damaged',
      'manifest.json is too long for a manifest',
      'manifest.json is no file',
      'manifest.json is no file',
      undefined,
    ]);
  });

  it('stay in the folder when they hold the private key of the node', async () => {
    const id = make(1, { keyFiles: [fileOf('node.key', 'x')] });
    expect(await send()).to.deep.include({ sent: [], withKey: [id] });
    expect(server.objects.size).to.equal(0);
  });

  it('all stay in the target when the folder has no readable backup of the node', async () => {
    const made = [make(1), make(2), make(3)];
    await send();
    server.put(`node/${nameOf(4)}/one`, 'half');
    for (const name of made) rmSync(join(folder, name), { recursive: true });
    mkdirSync(join(folder, nameOf(5)));
    const kept = [...server.objects.keys()];
    expect(await send('', 1)).to.deep.include({ sent: [], removed: [] });
    expect([...server.objects.keys()]).to.deep.equal(kept);
  });

  it('lose no place to planted names of the future or of another node, which stay as they are', async () => {
    const [first, second] = [make(1), make(2)];
    await send();
    const planted = [nameOf(3_000), nameOf(3_001), nameOf(10)];
    for (const id of planted) {
      const node = id === nameOf(10) ? 'node-2' : 'node-1';
      server.put(`node/${id}/manifest.json`, spellManifest(manifestOf(id, {}, node)));
    }
    const { removed, there } = await send('', 1);
    expect(removed).to.deep.equal([first]);
    expect(there.map(({ name }) => name).sort()).to.deep.equal([second, ...planted].sort());
  });

  it('are not sent to the backups of another node', async () => {
    make(1);
    await send();
    rmSync(join(folder, nameOf(1)), { recursive: true });
    for (const day of [undefined, 2]) {
      if (day !== undefined) make(day, {}, 'node-2');
      expect(await rejection(send('', 1, 'node-2'))).to.include({ code: 'conflict' });
    }
    const refused = await rejection(send('', 1, 'node-2'));
    expect(refused).to.include({ code: 'conflict', message: `s3://${S3_BUCKET}/node/ has backups of another node` });
  });

  it('stay in the clear while they are locked, and are sealed afterwards, where a key seals the others', async () => {
    const id = make(1);
    await send();
    server.locks.set(`node/${id}/two`, Date.UTC(2100, 0, 1));
    const keys = { readKeys: async () => [Buffer.alloc(32, 7)] };
    target = await createObjectStores(s3Variables(server.url), keys).open(`s3://${S3_BUCKET}/node`);
    expect(await send()).to.deep.include({ sent: [], removed: [], notReplaced: [id] });
    server.locks.clear();
    expect([(await send()).sent, await chosenBackup(target, id, NOW_MS)]).to.deep.equal([[id], id]);
  });
});
