import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepCompiledCode } from '../../config/compile-cache.ts';

describe('the cache of compiled code', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'compiled-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  /** Returns the folders that the runtime was given. */
  const foldersFor = (cacheHome: string): string[] => {
    const folders: string[] = [];
    keepCompiledCode({ XDG_CACHE_HOME: cacheHome }, { enableCompileCache: (folder) => folders.push(folder) });
    return folders;
  };

  it('lies in a folder of the user that only the user may read', () => {
    const folder = join(home, 'fact-memory-node');
    expect(foldersFor(home)).to.deep.equal([folder]);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
  });

  it('is not used where others may write, because Node.js runs its code unchecked', () => {
    const folder = join(home, 'fact-memory-node');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(foldersFor(home)).to.deep.equal([]);
  });

  it('is left out where its folder cannot be made', () => {
    writeFileSync(join(home, 'file'), '');
    expect(foldersFor(join(home, 'file'))).to.deep.equal([]);
  });

  it('is left out by a Node.js without one', () => {
    keepCompiledCode({ XDG_CACHE_HOME: home }, {});
    expect(existsSync(join(home, 'fact-memory-node'))).to.equal(false);
  });
});
