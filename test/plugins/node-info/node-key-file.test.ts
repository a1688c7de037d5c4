import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Random, ServiceError } from '../../../kernel/plugin-api.ts';
import { drawNodeKey, loadRetiredKeys, readNodeKey, rotateNodeKey } from '../../../plugins/node-info/node-key-file.ts';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { stopAtEachStep } from '../../kit/stop-at-each-step.ts';

const MODULE = new URL('../../../plugins/node-info/node-key-file.js', import.meta.url).href;

/** As the first start and all later ones. */
const loadNodeKey = async (path: string, random: Random): Promise<Uint8Array> =>
  (await readNodeKey(path)) ?? (await drawNodeKey(path, random));

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

  it('is created at the first start, readable only by its owner, and reused afterwards', async () => {
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

  it('is refused if it is a folder, or a pipe that nobody writes to', async () => {
    for (const make of ['mkdir', 'mkfifo']) {
      await mkdir(join(folder, 'deeper'), { recursive: true });
      spawnSync(make, ['-m', '600', path]);
      const { message, hint } = await refusal();
      expect(message).to.equal(`the private key file ${path} is not a regular file`);
      expect(hint).to.contain('put back the copy');
      await rm(path, { recursive: true });
    }
  });

  it('is refused if other users can read or write it, with the command that corrects this', async () => {
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

  it('is never replaced if it contains no valid key', async () => {
    await loadNodeKey(path, createSeededRandom());
    for (const text of ['', 'short', `${'A'.repeat(43)}=`, 'A'.repeat(86)]) {
      await writeFile(path, text);
      const error = await refusal();
      expect(error.message).to.contain('does not hold a private key');
      if (text !== '') expect(error.message + error.hint).not.to.contain(text);
      expect(await readFile(path, 'utf8')).to.equal(text);
    }
  });

  it('is replaced by a rotation, which keeps the old key in a private file beside it', async () => {
    const first = await loadNodeKey(path, createSeededRandom(1));
    expect(await loadRetiredKeys(path)).to.deep.equal([]);
    const { retired, current } = await rotateNodeKey(path, createSeededRandom(2));
    expect(retired).to.deep.equal(first);
    expect(current).not.to.deep.equal(first);
    expect(await loadNodeKey(path, createSeededRandom(3))).to.deep.equal(current);
    const third = await rotateNodeKey(path, createSeededRandom(4));
    const kept = (await loadRetiredKeys(path)).map((seed) => Buffer.from(seed).toString('hex'));
    expect(kept).to.have.members([first, current].map((seed) => Buffer.from(seed).toString('hex')));
    expect(third.retired).to.deep.equal(current);
    const names = (await readdir(join(folder, 'deeper'))).sort();
    expect(names).to.have.lengthOf(3);
    for (const name of names) {
      expect(name).to.match(/^node\.key(\.retired-[0-9a-f]{16})?$/);
      expect((await stat(join(folder, 'deeper', name))).mode & 0o777, name).to.equal(0o600);
    }
  });

  it('is read, and rotated again, after a rotation that was killed at any step', async () => {
    const folders = await stopAtEachStep(folder, {
      module: MODULE,
      prepare: "await module.drawNodeKey(at + '/node.key', random);",
      work: "await module.rotateNodeKey(at + '/node.key', random);",
    });
    expect(folders).to.have.length.above(8);
    for (const at of folders) {
      const left = (await readdir(at)).join(' ');
      const key = await readNodeKey(join(at, 'node.key'));
      await loadRetiredKeys(join(at, 'node.key'));
      const { retired } = await rotateNodeKey(join(at, 'node.key'), createSeededRandom());
      expect(retired, left).to.deep.equal(key);
      expect(await loadRetiredKeys(join(at, 'node.key')), left).to.deep.include(retired);
      for (const name of await readdir(at)) expect(name, left).to.match(/^node\.key(\.retired-[0-9a-f]{16})?$/);
    }
  });

  it('lies alone after the next start, although the first one was killed as the file appeared', async () => {
    const place = new Workplace();
    try {
      await place.killAtFile(['init'], 'node.key');
      const keyFiles = async () => (await readdir(place.path('data'))).filter((name) => name.includes('node.key'));
      expect(await keyFiles(), 'after the kill').to.have.length(2);
      await (await place.serve()).end();
      expect(await keyFiles()).to.deep.equal(['node.key']);
    } finally {
      await place.dispose();
    }
  });

  it('is replaced by the next attempt if a rotation was interrupted, and the old key is retired once', async () => {
    const first = await loadNodeKey(path, createSeededRandom(1));
    await rotateNodeKey(path, createSeededRandom(2));
    await writeFile(path, `${Buffer.from(first).toString('base64url')}\n`);
    await rotateNodeKey(path, createSeededRandom(3));
    expect(await loadRetiredKeys(path)).to.deep.equal([first]);
  });

  it('is refused if other users can read the file of the retired key beside it', async () => {
    await loadNodeKey(path, createSeededRandom(1));
    await rotateNodeKey(path, createSeededRandom(2));
    const [name = ''] = (await readdir(join(folder, 'deeper'))).filter((found) => found.includes('retired'));
    await chmod(join(folder, 'deeper', name), 0o644);
    const error = await loadRetiredKeys(path).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error?.message).to.contain('others');
  });
});
