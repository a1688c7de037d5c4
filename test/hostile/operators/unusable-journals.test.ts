import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { declaredJournals } from '../../kit/declared-journals.ts';
import { BackupPlace } from '../../plugins/backup/backup-place.ts';
import { NODE_URL } from '../../plugins/oauth/oauth-kit.ts';

/** A limit for ten starts of a program. */
const LIMIT_MS = 300_000;
const ENV = {
  SVC_TOMBSTONES_ENABLED: 'true',
  SVC_MULTI_TENANT_ENABLED: 'true',
  SVC_OAUTH_ENABLED: 'true',
  SVC_NODE_URL: NODE_URL,
};

/** Things in the place of a journal, each with the reason that the refusal gives. */
const OTHERS: readonly (readonly [reason: string, put: (path: string) => void])[] = [
  ['not a regular file', (path) => mkdirSync(path)],
  ['not a regular file', (path) => void spawnSync('mkfifo', [path])],
  ['not a regular file', (path) => symlinkSync(path, path)],
];

describe('a node whose journal of withdrawals is no file', () => {
  let place: BackupPlace;
  before(async () => {
    place = await BackupPlace.on('sqlite', { federation: true, 'multi-tenant': true, oauth: true, tombstones: true });
    await (await place.start(ENV)).end();
  });
  after(() => place.dispose());

  const expectRefused = async (name: string, reason: string, put: (path: string) => void): Promise<void> => {
    const path = place.work.path(`data/${name}`);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    put(path);
    const { exitCode, stderr } = await place.run(['start'], ENV);
    rmSync(path, { recursive: true, force: true });
    expect(exitCode, stderr).to.equal(1);
    expect(stderr).to.include(`the file ${name.split('/').at(-1)} beside the store cannot be used (${reason}`);
    expect(stderr).to.include('hint: it must be a regular file');
  };

  it('refuses to start, names the journal and says what to do', async () => {
    for (const [at, { file }] of (await declaredJournals()).entries()) {
      const [reason, put] = OTHERS[at % OTHERS.length] as (typeof OTHERS)[number];
      await expectRefused(file, reason, put);
    }
  }).timeout(LIMIT_MS);

  it('refuses one of three gigabytes, which would fill its memory', () =>
    expectRefused('revoked-keys', 'larger than ', (path) => {
      writeFileSync(path, '');
      truncateSync(path, 3 * 1024 ** 3);
    })).timeout(LIMIT_MS);
});
