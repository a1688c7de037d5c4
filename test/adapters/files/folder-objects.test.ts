import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFolderObjects } from '../../../adapters/files/folder-objects.ts';
import { allOf, contentOf, describeObjectStore } from '../../contract/object-store-contract.ts';
import { rejection } from '../../kit/rejection.ts';
import { refusalOnFullDisk } from '../../kit/run-on-full-disk.ts';

const MODULE = new URL('../../../adapters/files/folder-objects.js', import.meta.url).href;

describeObjectStore('folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'objects-'));
  return {
    store: createFolderObjects(join(folder, 'deep', 'down')),
    stop: async () => rmSync(folder, { recursive: true }),
  };
});

describe('the store of objects in a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'objects-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('leaves links and hidden files out of lists', async () => {
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'file'), 'x');
    writeFileSync(join(folder, 'a', '.hidden'), 'x');
    symlinkSync('/etc', join(folder, 'etc'));
    symlinkSync('/etc/passwd', join(folder, 'a', 'passwd'));
    expect(await allOf(createFolderObjects(folder).list(''))).to.deep.equal([{ path: 'a/file', bytes: 1 }]);
  });

  it('never writes or reads an object through a link', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'before');
    const place = join(folder, 'place');
    mkdirSync(join(place, 'a'), { recursive: true });
    symlinkSync(join(outside, 'file'), join(place, 'a', 'one.partial'));
    symlinkSync(join(outside, 'file'), join(place, 'a', 'two'));
    symlinkSync(outside, join(place, 'b'));
    const store = createFolderObjects(place);
    expect(await rejection(allOf(store.read('a/two')))).to.include({ code: 'lookup' });
    for (const path of ['a/one', 'a/two']) await store.write(path, contentOf(Buffer.from('after')));
    expect((await rejection(store.write('b/file', contentOf(Buffer.from('after'))))).message).to.include('is a link');
    expect(readFileSync(join(outside, 'file'), 'utf8')).to.equal('before');
    expect(readdirSync(outside)).to.deep.equal(['file']);
    for (const path of ['one', 'two']) expect(readFileSync(join(place, 'a', path), 'utf8')).to.equal('after');
  });

  it('names the folder when it cannot be written', async () => {
    writeFileSync(join(folder, 'file'), 'x');
    const store = createFolderObjects(join(folder, 'file'));
    const refused = await rejection(store.write('a/1', contentOf(Buffer.from('x'))));
    expect(refused.message).to.include(folder);
  });

  it('leaves no draft on a full disk, which may be that of the store', () => {
    const place = join(folder, 'place');
    const object = "{ bytes: 1, sha256: '', read: async function* () { yield Buffer.from('x'); } }";
    const write = `module.createFolderObjects(${JSON.stringify(place)}).write('a/one', ${object})`;
    expect(refusalOnFullDisk(MODULE, write)).to.deep.equal({
      message: `the disk of ${place} is full`,
      hint: 'free space on it',
    });
    expect(readdirSync(join(place, 'a'))).to.deep.equal([]);
  });
});
