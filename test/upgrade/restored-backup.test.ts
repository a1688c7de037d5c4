import { expect } from 'chai';
import { markStoreRestored } from '../../config/mark-store-restored.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { allMigrations, loadOldStore, type OldStore, readRecording } from './load-old-store.ts';

forEachStore('a backup that an older version wrote', () => {
  let old: OldStore | undefined;
  afterEach(() => old?.remove());

  it('is marked as restored once its tables are upgraded, and the command says so', async () => {
    const recording = await readRecording('plain');
    const place = await loadOldStore(recording);
    old = place;
    const config = {
      store: { adapter: {}, settings: {} },
      node: { maxStampLeadS: 300 },
    } as unknown as Pick<NodeConfig, 'store' | 'node'>;
    const restore = () => markStoreRestored(config, async () => place.open());
    const refused = await rejection(restore());
    expect(refused).to.include({ code: 'unavailable' });
    expect(refused['hint']).to.match(/^run "init"/);
    const store = place.open();
    await store.migrate(await allMigrations());
    const before = await store.read((snapshot) => snapshot.epoch());
    await restore();
    expect(await store.read((snapshot) => snapshot.epoch())).not.to.equal(before);
    await store.close();
  });
});
