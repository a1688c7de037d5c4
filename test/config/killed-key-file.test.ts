import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../kit/for-each-store.ts';
import { BACKED_UP, BackupPlace } from '../plugins/backup/backup-place.ts';
import { holdKeys, remember, succeed } from '../plugins/backup/sealed-place.ts';

const LIMIT_MS = 180_000;
const KEYS = 'content-keys.json';

forEachStore('a file of content keys whose process was killed', (kind) => {
  let place: BackupPlace;
  let env: Record<string, string>;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
    env = holdKeys(place, randomBytes(32));
  });
  afterEach(() => place.dispose());

  const keyFiles = (): readonly string[] => readdirSync(place.work.path('data')).filter((name) => name.includes(KEYS));
  const kill = async (...argv: readonly string[]): Promise<void> => {
    await place.work.killAtFile([...argv, '--config', 'node.json'], KEYS, { ...place.env, ...env });
    expect(keyFiles(), 'after the kill').to.have.length(2);
  };

  it('lies alone after the next start of a new store, where the kill came as it appeared', async () => {
    await kill('init');
    await (await place.start(env)).end();
    expect(keyFiles()).to.deep.equal([KEYS]);
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('lies alone after the next run of "encryption on", where the kill came as it appeared', async () => {
    await remember(place, {}, ['user:a', 'a value']);
    await kill('encryption', 'on');
    await succeed(place, env, 'encryption', 'on');
    expect(keyFiles()).to.deep.equal([KEYS]);
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('is the only one after the next "encryption rotate", when the kill left the former keys', async () => {
    await remember(place, env, ['user:a', 'a value']);
    const argv = ['encryption', 'rotate', '--config', 'node.json'];
    // The first file has the new keys beside the former ones, the second has the new ones alone.
    await place.work.killAtReplacement(argv, KEYS, 2, { ...place.env, ...env });
    expect(keyFiles(), 'after the kill').to.deep.equal([KEYS, `${KEYS}.former`]);
    await succeed(place, env, 'encryption', 'rotate');
    expect(keyFiles()).to.deep.equal([KEYS]);
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('lies alone after the next start, where the kill came before its former bytes were zeroed', async () => {
    await (await place.start(env)).end();
    writeFileSync(place.work.path(`data/${KEYS}.former`), 'former keys');
    await (await place.start(env)).end();
    expect(keyFiles()).to.deep.equal([KEYS]);
  }).timeout(LIMIT_MS);
});
