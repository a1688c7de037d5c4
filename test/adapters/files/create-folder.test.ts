import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFolder } from '../../../adapters/files/create-folder.ts';

describe('creating a folder', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'create-folder-'));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  it('creates missing parent folders too, with the given permissions', () => {
    createFolder(join(place, 'a', 'b'), 0o700);
    for (const path of [join(place, 'a'), join(place, 'a', 'b')]) expect(statSync(path).mode & 0o777).to.equal(0o700);
  });

  it('leaves an existing folder unchanged, also behind a symbolic link', () => {
    mkdirSync(join(place, 'open'), { mode: 0o755 });
    symlinkSync(join(place, 'open'), join(place, 'link'));
    createFolder(join(place, 'open'), 0o700);
    createFolder(join(place, 'link', 'below'));
    expect(statSync(join(place, 'open')).mode & 0o777).to.equal(0o755);
    expect(statSync(join(place, 'open', 'below')).isDirectory()).to.equal(true);
  });

  it('fails when a file or a dangling symbolic link is in the way', () => {
    writeFileSync(join(place, 'file'), '');
    symlinkSync(join(place, 'nothing'), join(place, 'dangling'));
    for (const path of ['file', 'file/below/it', 'dangling'])
      expect(() => createFolder(join(place, path)), path).to.throw();
  });

  it('fails without retrying for ever when the system refuses to create a folder', () => {
    for (const path of existsSync('/proc/self') ? ['/proc/nothing/below'] : []) {
      expect(() => createFolder(path)).to.throw('ENOENT');
    }
  });
});
