import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { loadNodeKey } from '../../../plugins/node-info/node-key-file.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

describe('the file of the private key', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'node-key-'));
    path = join(folder, 'deeper', 'node.key');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const refusal = async (): Promise<ServiceError> => {
    try {
      await loadNodeKey(path, createSeededRandom());
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
    throw new Error('the file was accepted');
  };

  it('is made at the first start, for its owner alone, and read ever after', async () => {
    const first = await loadNodeKey(path, createSeededRandom(1));
    expect(first).to.have.length(32);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(await loadNodeKey(path, createSeededRandom(2))).to.deep.equal(first);
    expect(await readdir(join(folder, 'deeper'))).to.deep.equal(['node.key']);
  });

  it('holds one key although several nodes start at once', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, (_, seed) => loadNodeKey(path, createSeededRandom(seed))));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex')))).to.have.lengthOf(1);
    expect(await readdir(join(folder, 'deeper'))).to.deep.equal(['node.key']);
  });

  it('is refused when others can read or write it, with the command that mends it', async () => {
    await loadNodeKey(path, createSeededRandom());
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      await chmod(path, mode);
      const error = await refusal();
      expect(error.message, mode.toString(8)).to.contain('others');
      expect(error.hint).to.equal(`take their rights away: chmod 600 ${path}`);
      expect(error.message + error.hint).not.to.contain((await readFile(path, 'utf8')).trim());
    }
    await chmod(path, 0o400);
    expect(await loadNodeKey(path, createSeededRandom())).to.have.length(32);
  });

  it('is never replaced when it holds no key', async () => {
    await loadNodeKey(path, createSeededRandom());
    for (const text of ['', 'short', `${'A'.repeat(43)}=`, 'A'.repeat(86)]) {
      await writeFile(path, text);
      const error = await refusal();
      expect(error.message).to.contain('does not hold a private key');
      if (text !== '') expect(error.message + error.hint).not.to.contain(text);
      expect(await readFile(path, 'utf8')).to.equal(text);
    }
  });
});
