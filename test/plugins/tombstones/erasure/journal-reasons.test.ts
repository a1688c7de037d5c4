import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { fewPlugins } from '../../../kit/few-plugins.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { BackupPlace, fact, request } from '../../backup/backup-place.ts';

const LIMIT_MS = 120_000;
const REASON = 'canary-7f3a9c must go';
const JOURNAL = 'data/erasures.jsonl';

forEachStore('the reason of an erasure', (kind) => {
  const key = randomBytes(32);
  const places: BackupPlace[] = [];
  const newPlace = async (): Promise<BackupPlace> => {
    const place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', 'tombstones'));
    places.push(place);
    writeFileSync(place.work.path('keys'), key.toString('hex'), { mode: 0o600 });
    return place;
  };
  afterEach(async () => {
    for (const place of places.splice(0)) await place.dispose();
  });

  /** Erases what a backup still holds, and returns what the restored node then says and has in its journal. */
  const eraseAndRestore = async (envOf: (place: BackupPlace) => Record<string, string>) => {
    const [from, to] = [await newPlace(), await newPlace()];
    const node = await from.start(envOf(from));
    for (const entity of ['user:gone', 'user:stays']) await request(node, 'POST', '/v1/facts', fact(entity, 'a value'));
    const target = from.work.path('target');
    const backup = await from.run(['backup'], { ...envOf(from), SVC_BACKUP_TARGET: target });
    expect(backup.exitCode, backup.stderr).to.equal(0);
    const body = { entity_uri: 'user:gone', reason: REASON };
    const { id } = (await request(node, 'POST', '/v1/tombstones', body)).body;
    const erased = await request(node, 'POST', `/v1/tombstones/${id}/erase`, { confirm: 'user:gone' });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    await node.end();
    to.takeKeys(from);
    cpSync(from.work.path(JOURNAL), to.work.path(JOURNAL));
    const restored = await to.run(['restore', '--from', target], envOf(to));
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const again = await to.start(envOf(to));
    const about = async (entity: string) =>
      (await request(again, 'GET', `/v1/facts?entity=${entity}`)).body.facts.length;
    const seen = { gone: await about('user:gone'), stays: await about('user:stays') };
    const { tombstones } = (await request(again, 'GET', '/v1/tombstones')).body;
    await again.end();
    return { seen, reason: tombstones[0].reason, journal: readFileSync(from.work.path(JOURNAL), 'utf8') };
  };

  it('is in no journal of a sealed node, and a restored backup is brought up to date without it', async () => {
    const { seen, reason, journal } = await eraseAndRestore((place) => ({
      SVC_TOMBSTONES_ENABLED: 'true',
      SVC_ENCRYPTION_KEY_FILE: place.work.path('keys'),
    }));
    expect(journal).to.include('user:gone').and.to.not.include(REASON);
    expect(seen).to.deep.equal({ gone: 0, stays: 1 });
    expect(reason).to.equal(null);
  }).timeout(LIMIT_MS);

  it('comes back with a restored backup of a node without a key', async () => {
    const { seen, reason, journal } = await eraseAndRestore(() => ({ SVC_TOMBSTONES_ENABLED: 'true' }));
    expect(journal).to.include(REASON);
    expect(seen).to.deep.equal({ gone: 0, stays: 1 });
    expect(reason).to.equal(REASON);
  }).timeout(LIMIT_MS);
});
