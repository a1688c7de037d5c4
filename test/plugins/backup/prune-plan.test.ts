import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { backupName } from '../../../plugins/backup/backup-folder.ts';
import { withPrunePlan } from '../../../plugins/backup/prune-plan.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const NAMES = new Set([backupName(Date.UTC(2026, 0, 1), '1a2b3c4d-0000')]);
const place = (folder: string) => ({ folder, target: '/somewhere', random: createSeededRandom() });
const interrupted = (): Promise<never> => Promise.reject(new Error('killed'));
const earlierOf = (folder: string): Promise<ReadonlySet<string>> =>
  withPrunePlan(place(folder), new Set(), async (earlier) => earlier);

describe('the pruning of a target', () => {
  it('goes on with the names of an interrupted one, once', () =>
    inTemporaryFolder(async (folder) => {
      await rejection(withPrunePlan(place(folder), NAMES, interrupted));
      expect(await earlierOf(folder)).to.deep.equal(NAMES);
      expect(await earlierOf(folder)).to.deep.equal(new Set());
      expect(readdirSync(folder)).to.deep.equal([]);
    }));

  it('works where the folder of backups takes no file', () =>
    inTemporaryFolder(async (folder) => {
      await rejection(withPrunePlan(place(folder), NAMES, interrupted));
      const [plan = ''] = readdirSync(folder);
      for (const backups of ['other', 'file', 'missing']) {
        // Takes the place of the plan, like a folder that denies the writing, also to a superuser.
        if (backups === 'other') mkdirSync(join(folder, backups, plan, 'taken'), { recursive: true });
        if (backups === 'file') writeFileSync(join(folder, backups), '');
        const done = await withPrunePlan(place(join(folder, backups)), NAMES, async (earlier) => [...earlier]);
        expect(done, backups).to.deep.equal([]);
      }
    }));
});
