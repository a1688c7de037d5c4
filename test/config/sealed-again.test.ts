import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../kit/for-each-store.ts';
import { BACKED_UP, BackupPlace, request } from '../plugins/backup/backup-place.ts';
import { eraseEntity, holdKeys, remember, succeed } from '../plugins/backup/sealed-place.ts';

const LIMIT_MS = 180_000;
const KEY_FILE = 'data/content-keys.json';

forEachStore('a store that is opened and sealed again', (kind) => {
  let place: BackupPlace;
  let env: Record<string, string>;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
    env = { ...holdKeys(place, randomBytes(32)), SVC_TOMBSTONES_ENABLED: 'true' };
  });
  afterEach(() => place.dispose());

  const tell = (variables: Record<string, string>, ...entities: readonly string[]): Promise<void> =>
    remember(place, variables, ...entities.map((entity) => [entity, 'a value'] as const));
  const values = async (entity: string): Promise<readonly unknown[]> => {
    const node = await place.start(env);
    const { body } = await request(node, 'GET', `/v1/facts?entity=${entity}`);
    await node.end();
    return body.facts.map((found: { readonly value: { readonly v: unknown } }) => found.value.v);
  };

  it('has other keys, so that an erasure in between reaches the sealed backups from before', async () => {
    await tell(env, 'user:gone', 'user:stays');
    const backup = await succeed(place, env, 'backup');
    await succeed(place, env, 'encryption', 'off');
    const node = await place.start(env);
    await eraseEntity(node, 'user:gone');
    await node.end();
    await succeed(place, env, 'encryption', 'on');
    const refused = await place.run(['restore', backup, '--replace'], env);
    expect(refused.exitCode, refused.stderr).to.not.equal(0);
    expect(refused.stderr).to.include('the last "encryption rotate" or "encryption on"');
    expect(await values('user:stays')).to.deep.equal(['a value']);
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('takes no keys that have not sealed it before, and leaves them as they are', async () => {
    await tell({}, 'user:a');
    const other = await BackupPlace.on(kind, BACKED_UP);
    try {
      const sealed = await other.start(env);
      await sealed.end();
      cpSync(other.work.path(KEY_FILE), place.work.path(KEY_FILE));
    } finally {
      await other.dispose();
    }
    const before = readFileSync(place.work.path(KEY_FILE), 'utf8');
    const refused = await place.run(['encryption', 'on'], env);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include('have not sealed this store before').and.include('hint: ');
    expect(readFileSync(place.work.path(KEY_FILE), 'utf8')).to.equal(before);
    expect(JSON.parse((await place.run(['encryption', 'status', '--json'], env)).stdout).unfinished).to.equal(null);
    env = { ...env, SVC_ENCRYPTION_KEY_STORE: place.work.path('own-keys.json') };
    await succeed(place, env, 'encryption', 'on');
    expect(existsSync(place.work.path('own-keys.json'))).to.equal(true);
    expect(await values('user:a')).to.deep.equal(['a value']);
  }).timeout(LIMIT_MS);

  it('stays as it is, and starts, after a seal that was refused for its key', async () => {
    await tell({}, 'user:a');
    writeFileSync(place.work.path('bad.key'), 'no key', { mode: 0o600 });
    const refused = await place.run(['encryption', 'on'], { SVC_ENCRYPTION_KEY_FILE: place.work.path('bad.key') });
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include('gives no key of the operator');
    expect(JSON.parse((await place.run(['encryption', 'status', '--json'])).stdout).unfinished).to.equal(null);
    env = {};
    expect(await values('user:a')).to.deep.equal(['a value']);
  }).timeout(LIMIT_MS);

  it('reports a flipped byte of a sealed value, and no read shows that fact', async () => {
    await tell(env, 'user:a', 'user:b');
    await succeed(place, env, 'verify');
    const digits = 'hex(sealed)';
    const flipped =
      kind === 'sqlite'
        ? `unhex(substr(${digits}, 1, 40) || CASE substr(${digits}, 41, 1) WHEN '0' THEN '1' ELSE '0' END ||
           substr(${digits}, 42))`
        : 'set_byte(sealed, 20, get_byte(sealed, 20) # 1)';
    await place.tamper(`UPDATE facts SET sealed = ${flipped} WHERE entity_key = 'user:a'`);
    const verified = await place.run(['verify'], env);
    expect(verified.exitCode, verified.stderr).to.equal(1);
    expect(verified.stdout).to.include('the column sealed of the fact');
    expect(await values('user:a')).to.deep.equal([]);
    expect(await values('user:b')).to.deep.equal(['a value']);
  }).timeout(LIMIT_MS);
});
