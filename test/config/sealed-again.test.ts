import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../kit/for-each-store.ts';
import { BACKED_UP, BackupPlace, fact, request } from '../plugins/backup/backup-place.ts';

const LIMIT_MS = 180_000;
const KEY_FILE = 'data/content-keys.json';

forEachStore('a store that is opened and sealed again', (kind) => {
  let place: BackupPlace;
  let env: Record<string, string>;
  const key = randomBytes(32);
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
    const file = place.work.path('keys');
    writeFileSync(file, key.toString('hex'), { mode: 0o600 });
    env = { SVC_ENCRYPTION_KEY_FILE: file, SVC_TOMBSTONES_ENABLED: 'true' };
  });
  afterEach(() => place.dispose());

  /** Runs a command in a process of its own, because this one would keep the file of the store open for a while. */
  const run = async (...argv: readonly string[]) => {
    const done = await place.work.runApart([...argv, '--config', 'node.json'], { ...place.env, ...env });
    return { ...done, text: done.stdout + done.stderr };
  };
  const succeed = async (...argv: readonly string[]): Promise<string> => {
    const { exitCode, stdout, text } = await run(...argv);
    expect(exitCode, text).to.equal(0);
    return stdout.trim();
  };
  const tell = async (variables: Record<string, string>, ...entities: readonly string[]): Promise<void> => {
    const node = await place.start(variables);
    for (const entity of entities) {
      expect((await request(node, 'POST', '/v1/facts', fact(entity, 'a value'))).status).to.equal(201);
    }
    await node.end();
  };
  const erase = async (entity: string): Promise<void> => {
    const node = await place.start(env);
    const { id } = (await request(node, 'POST', '/v1/tombstones', { entity_uri: entity })).body;
    const erased = await request(node, 'POST', `/v1/tombstones/${id}/erase`, { confirm: entity });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    await node.end();
  };
  const values = async (entity: string): Promise<readonly unknown[]> => {
    const node = await place.start(env);
    const { body } = await request(node, 'GET', `/v1/facts?entity=${entity}`);
    await node.end();
    return body.facts.map((found: { readonly value: { readonly v: unknown } }) => found.value.v);
  };

  it('has other keys, so that an erasure in between reaches the sealed backups from before', async () => {
    await tell(env, 'user:gone', 'user:stays');
    const backup = await succeed('backup');
    await succeed('encryption', 'off');
    await erase('user:gone');
    await succeed('encryption', 'on');
    const refused = await run('restore', backup, '--replace');
    expect(refused.exitCode, refused.text).to.not.equal(0);
    expect(refused.text).to.include('the last "encryption rotate" or "encryption on"');
    expect(await values('user:stays')).to.deep.equal(['a value']);
    await succeed('verify');
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
    const refused = await run('encryption', 'on');
    expect(refused.exitCode).to.equal(1);
    expect(refused.text).to.include('have not sealed this store before').and.include('hint: ');
    expect(readFileSync(place.work.path(KEY_FILE), 'utf8')).to.equal(before);
    expect(JSON.parse((await run('encryption', 'status', '--json')).stdout).unfinished).to.equal(null);
    env = { ...env, SVC_ENCRYPTION_KEY_STORE: place.work.path('own-keys.json') };
    await succeed('encryption', 'on');
    expect(existsSync(place.work.path('own-keys.json'))).to.equal(true);
    expect(await values('user:a')).to.deep.equal(['a value']);
  }).timeout(LIMIT_MS);

  it('reports a flipped byte of a sealed value, and no read shows that fact', async () => {
    await tell(env, 'user:a', 'user:b');
    await succeed('verify');
    const digits = 'hex(sealed)';
    const flipped =
      kind === 'sqlite'
        ? `unhex(substr(${digits}, 1, 40) || CASE substr(${digits}, 41, 1) WHEN '0' THEN '1' ELSE '0' END ||
           substr(${digits}, 42))`
        : 'set_byte(sealed, 20, get_byte(sealed, 20) # 1)';
    await place.tamper(`UPDATE facts SET sealed = ${flipped} WHERE entity_key = 'user:a'`);
    const verified = await run('verify');
    expect(verified.exitCode, verified.text).to.equal(1);
    expect(verified.text).to.include('the column sealed of the fact');
    expect(await values('user:a')).to.deep.equal([]);
    expect(await values('user:b')).to.deep.equal(['a value']);
  }).timeout(LIMIT_MS);
});
