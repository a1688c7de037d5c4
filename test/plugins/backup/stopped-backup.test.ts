import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { BACKED_UP, BackupPlace, request } from './backup-place.ts';

const LIMIT_MS = 120_000;
const NOTE = 'n'.repeat(15_000);
const BATCHES = 8;
const FACTS_A_BATCH = 100;

forEachStore('a node that stops in the middle of a backup', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
  });
  afterEach(() => place.dispose());

  it('ends normally, and leaves no partial backup', async () => {
    const node = await place.startApart();
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const facts = Array.from({ length: FACTS_A_BATCH }, (_, at) => ({
        entity: `user:u${batch * FACTS_A_BATCH + at}`,
        relation: 'memory:note',
        value: { type: 'text', v: NOTE },
        source: 'agent:me',
      }));
      expect((await request(node, 'POST', '/v1/facts/batch', facts)).status).to.equal(200);
    }
    expect((await request(node, 'POST', '/v1/backups')).status).to.equal(202);
    const begun = (): boolean => readBackups().length > 0;
    await waitUntil('the backup has begun', LIMIT_MS, begun);
    expect((await node.end()).exitCode).to.equal(0);
    const again = await place.start();
    const { backups } = (await request(again, 'GET', '/v1/backups')).body;
    for (const backup of backups) expect(backup).to.include({ readable: true });
    await again.end();
  }).timeout(LIMIT_MS);

  const readBackups = (): readonly string[] => {
    try {
      return readdirSync(place.backups);
    } catch {
      return [];
    }
  };
});
