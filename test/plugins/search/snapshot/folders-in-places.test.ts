import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SnapshotFiles, type SnapshotOwner } from '../../../../plugins/search/snapshot/snapshot-files.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';

const OWNER: SnapshotOwner = { nodeId: 'node', epoch: 'epoch', erasures: '0', build: '0' };
const SEALS = {
  isSealing: false,
  seal: (_: string, bytes: Uint8Array): Uint8Array => bytes,
  open: (_: string, bytes: Uint8Array): Uint8Array => bytes,
};

const makeFolders = (folder: string): void => {
  for (const name of ['manifest.json', 'other.snapshot']) {
    mkdirSync(join(folder, name, 'within'), { recursive: true });
  }
};

describe('Snapshots of the search index where folders are in the places of files', () => {
  it('are dropped with these folders, so that an erasure ends', () =>
    inTemporaryFolder(async (folder) => {
      makeFolders(folder);
      await new SnapshotFiles(folder, createSeededRandom(1), SEALS).drop();
      expect(readdirSync(folder)).to.deep.equal([]);
    }));

  it('are saved in place of these folders', () =>
    inTemporaryFolder(async (folder) => {
      makeFolders(folder);
      const files = new SnapshotFiles(folder, createSeededRandom(1), SEALS);
      await files.save(OWNER, async ({ fresh }) => {
        writeFileSync(fresh.index, 'words');
        return { index: { file: fresh.index, bytes: 5, frames: 1 } };
      });
      const found = await files.find(OWNER);
      expect(readdirSync(folder)).to.have.members([
        'manifest.json',
        String(found?.index.file.slice(folder.length + 1)),
      ]);
    }));
});
