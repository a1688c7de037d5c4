import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { createBackup } from '../../../plugins/backup/create-backup.ts';
import { readRetention } from '../../../plugins/backup/retained-backups.ts';
import { ServiceError } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

describe('A folder of backups with the keys of another store', () => {
  it('is refused before the store is copied, and keeps what it has', () =>
    inTemporaryFolder(async (folder) => {
      const foreign = new ServiceError('conflict', 'the content keys belong to another store');
      const copy = (): never => expect.fail('the store is copied');
      const copies: Parameters<typeof createBackup>[0]['copies'] = {
        placeKeys: async () => {
          throw foreign;
        },
        alone: (work) => work(async () => copy()),
      };
      const parts = {
        copies,
        clock: createManualClock(),
        random: createSeededRandom(1),
        node: { dataFolder: folder },
        folder,
      };
      expect(await rejection(createBackup({ ...parts, retention: readRetention(1, '') }))).to.equal(foreign);
      expect(readdirSync(folder)).to.deep.equal([]);
    }));
});
