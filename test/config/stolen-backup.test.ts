import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { expect } from 'chai';
import { openContentSeal } from '../kit/content-seal.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BACKED_UP, BackupPlace, request } from '../plugins/backup/backup-place.ts';
import { eraseEntity, holdKeys, remember } from '../plugins/backup/sealed-place.ts';
import { openedTexts } from './opened-texts.ts';

const LIMIT_MS = 180_000;
const CANARY = 'canary-7f3a9c';
const KEYS = 'content-keys.json';

forEachStore('a stolen backup of a node with an encryption key', (kind) => {
  let place: BackupPlace;
  const key = randomBytes(32);
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
  });
  afterEach(() => place.dispose());

  const holding = (at: BackupPlace): Record<string, string> => ({
    ...holdKeys(at, key),
    SVC_TOMBSTONES_ENABLED: 'true',
  });

  it('leaves nothing of an erased entity to a thief of the backup, the key and every file of the target', async () => {
    const target = place.work.path('target');
    const env = { ...holding(place), SVC_BACKUP_TARGET: target };
    await remember(place, env, ['user:a', CANARY], ['user:b', 'stays']);
    const reading = await place.start(env);
    for (const entity of ['user:a', 'user:b']) {
      const { body: card } = await request(reading, 'GET', `/v1/cards/${entity}?scope=company`);
      expect(card.summary).to.include(entity === 'user:a' ? CANARY : 'stays');
    }
    await reading.end();
    const former = await place.run(['backup'], env);
    expect(former.exitCode, former.stderr).to.equal(0);
    const stolenRows = await place.rows();
    const texts = async (): Promise<string> =>
      openedTexts(stolenRows, 'cards_cards', await openContentSeal({ path: place.work.path(`data/${KEYS}`), source }));
    const source = { readKeys: async () => [key] };
    expect(await texts())
      .to.include(CANARY)
      .and.include('stays');
    const node = await place.start(env);
    await eraseEntity(node, 'user:a');
    await node.end();
    expect(await texts())
      .to.include('stays')
      .and.not.include(CANARY);
    const thief = await BackupPlace.on(kind, BACKED_UP);
    try {
      const stolen = thief.work.path('stolen');
      cpSync(target, stolen, { recursive: true });
      const restored = await thief.run(['restore', '--from', stolen], holding(thief));
      expect(restored.exitCode, restored.stderr).to.equal(0);
      thief.takeKeys(place);
      const read = await thief.start(holding(thief));
      const { body } = await request(read, 'GET', '/v1/facts?entity=user:a');
      expect(JSON.stringify(body)).to.not.include(CANARY);
      expect((await request(read, 'GET', '/v1/facts?entity=user:b&relation=x:note')).body.facts[0].value.v).to.equal(
        'stays',
      );
      await read.end();
    } finally {
      await thief.dispose();
    }
  }).timeout(LIMIT_MS);
});
