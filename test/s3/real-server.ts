import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { createObjectStores } from '../../config/object-stores.ts';
import { backupName } from '../../plugins/backup/backup-folder.ts';
import { fetchBackup } from '../../plugins/backup/fetch-backup.ts';
import { spellManifest } from '../../plugins/backup/manifest-json.ts';
import { readRetention } from '../../plugins/backup/retained-backups.ts';
import { sendBackups } from '../../plugins/backup/send-backups.ts';
import { checkSent } from '../../plugins/backup/target-backups.ts';
import { allOf, contentOf, describeObjectStore } from '../contract/object-store-contract.ts';
import { type Flaw, type FlawedProxy, startFlawedProxy } from '../kit/flawed-proxy.ts';
import { rejection } from '../kit/rejection.ts';
import { s3Variables } from '../kit/s3-server.ts';

const URL_OF_SERVER = process.env['SVC_TEST_S3_URL'] ?? '';
const LIMIT_MS = 120_000;
const MIB = 1024 * 1024;
const TRIES = 30;

const credentials = { accessKeyId: 'AKIDTESTTESTTEST', secretAccessKey: 'secret' };
const client = new S3Client({ endpoint: URL_OF_SERVER, region: 'us-east-1', forcePathStyle: true, credentials });

const newBucket = async (locks = false): Promise<string> => {
  const Bucket = `kept-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: locks }));
  return Bucket;
};

describeObjectStore('bucket of a real server', async () => {
  const store = await createObjectStores(s3Variables(URL_OF_SERVER)).open(`s3://${await newBucket()}/some/prefix`);
  return { store, stop: async () => {} };
});

describe('a real server of S3', function () {
  this.timeout(LIMIT_MS);

  it('keeps objects that a rule of the bucket locks', async () => {
    const Bucket = await newBucket(true);
    const store = await createObjectStores(s3Variables(URL_OF_SERVER)).open(`s3://${Bucket}/p`);
    const Rule = { DefaultRetention: { Mode: 'COMPLIANCE', Days: 1 } } as const;
    const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule } as const;
    await client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
    await store.write('locked', contentOf(Buffer.from('x')));
    expect((await store.lockOf('locked'))?.untilMs).to.be.greaterThan(Date.now());
    expect(await rejection(store.remove('locked'))).to.include({ code: 'conflict' });
    expect((await allOf(store.list(''))).map(({ path }) => path)).to.deep.equal(['locked']);
  });

  it('keeps no former version of a removed object', async () => {
    const Bucket = await newBucket();
    const store = await createObjectStores(s3Variables(URL_OF_SERVER)).open(`s3://${Bucket}/p`);
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    for (const text of ['one', 'two']) await store.write('twice', contentOf(Buffer.from(text)));
    const versions = async (): Promise<number> =>
      (await client.send(new ListObjectVersionsCommand({ Bucket }))).Versions?.length ?? 0;
    expect(await versions()).to.equal(2);
    await store.remove('twice');
    expect(await versions()).to.equal(0);
  });

  describe('behind a network that cuts and corrupts', () => {
    let proxy: FlawedProxy;
    let folder: string;
    before(async () => {
      proxy = await startFlawedProxy(URL_OF_SERVER);
    });
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'flawed-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    after(() => proxy.close());

    it('gets and returns whole backups over a network that cuts and corrupts', async () => {
      const Bucket = await newBucket();
      const target = await createObjectStores(s3Variables(proxy.url)).open(`s3://${Bucket}/p`);
      const id = backupName(Date.UTC(2026, 0, 1), '1a2b3c4d-0000');
      const bytes = randomBytes(20 * MIB);
      const file = { name: 'big', bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
      const copy = {
        layout: 'test',
        files: [file],
        nodeId: 'node-1',
        epoch: 'e',
        head: null,
        ledgers: [],
        tables: {},
        migrations: [],
      };
      mkdirSync(join(folder, id));
      writeFileSync(join(folder, id, 'big'), bytes);
      const manifest = spellManifest({ id, createdAt: '2026-01-01T00:00:00.000Z', copy, keyFiles: [] });
      writeFileSync(join(folder, id, 'manifest.json'), manifest);
      // About every fourth megabyte has a flaw, until enough of them have happened.
      const flaws: Flaw[] = Array.from({ length: 12 }, (_, at) => (at % 3 === 2 ? 'flip' : 'cut'));
      let passed = 0;
      proxy.next = () => {
        passed += 1;
        return passed % 60 === 0 ? (flaws.pop() ?? 'pass') : 'pass';
      };
      const retention = readRetention(1, '');
      await untilDone(() => sendBackups({ folder, target, retention, nodeId: 'node-1', nowMs: Date.now() }));
      const direct = await createObjectStores(s3Variables(URL_OF_SERVER)).open(`s3://${Bucket}/p`);
      expect((await checkSent(direct, id)).id).to.equal(id);
      flaws.push('cut', 'flip', 'cut', 'flip');
      const elsewhere = join(folder, 'elsewhere');
      const path = await untilDone(() => fetchBackup(target, id, elsewhere));
      expect(readFileSync(join(path, 'big')).equals(bytes)).to.equal(true);
    });
  });
});

/** Repeats work as a scheduler would. */
const untilDone = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
};
