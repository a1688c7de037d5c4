import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFolderObjects } from '../../../adapters/files/folder-objects.ts';
import { allOf, contentOf, describeObjectStore } from '../../contract/object-store-contract.ts';
import { rejection } from '../../kit/rejection.ts';

describeObjectStore('folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'objects-'));
  return {
    store: createFolderObjects(join(folder, 'deep', 'down')),
    stop: async () => rmSync(folder, { recursive: true }),
  };
});

describe('objects in a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'objects-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('leave out links and hidden files', async () => {
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'file'), 'x');
    writeFileSync(join(folder, 'a', '.hidden'), 'x');
    symlinkSync('/etc', join(folder, 'etc'));
    symlinkSync('/etc/passwd', join(folder, 'a', 'passwd'));
    expect(await allOf(createFolderObjects(folder).list(''))).to.deep.equal([{ path: 'a/file', bytes: 1 }]);
  });

  it('name the folder that cannot be written', async () => {
    writeFileSync(join(folder, 'file'), 'x');
    const store = createFolderObjects(join(folder, 'file'));
    const refused = await rejection(store.write('a/1', contentOf(Buffer.from('x'))));
    expect(refused.message).to.include(folder);
  });
});
