import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readNamedSecret, readSecretFile, replaceSecretFile, writeSecretFile } from '../../../kernel/internal-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { rejection } from '../../kit/rejection.ts';
import { stopAtEachStep } from '../../kit/stop-at-each-step.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const MODULE = new URL('../../../kernel/internal-api.js', import.meta.url).href;
const random = createSeededRandom();
/** Reading a pipe that nobody writes to would never end. */
const OTHERS: readonly ((path: string) => void)[] = [
  (path) => mkdirSync(path),
  (path) => void spawnSync('mkfifo', [path]),
  (path) => symlinkSync(path, path),
];
const [SECRET, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];

describe('a file that holds a secret', () => {
  it('is written completely or not at all, readable only by its owner, in a new folder', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'deep', 'down', 'my.key');
      expect(await writeSecretFile(file, SECRET, random)).to.equal(true);
      expect(readFileSync(file, 'utf8')).to.equal(`${SECRET}\n`);
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(readdirSync(join(folder, 'deep', 'down'))).to.deep.equal(['my.key']);
      expect(await readSecretFile(file)).to.equal(SECRET);
    }));

  it('is never overwritten, only replaced on request', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'mine');
      writeFileSync(file, 'mine');
      expect(await writeSecretFile(file, SECRET, random)).to.equal(false);
      expect(readFileSync(file, 'utf8')).to.equal('mine');
      await replaceSecretFile(file, OTHER, random);
      expect(await readSecretFile(file)).to.equal(OTHER);
      expect(readdirSync(folder)).to.deep.equal(['mine']);
    }));

  it('is written by exactly one of several concurrent calls', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'my.key');
      const written = await Promise.all([SECRET, OTHER].map((secret) => writeSecretFile(file, secret, random)));
      expect(written.filter(Boolean)).to.have.length(1);
      expect(await readSecretFile(file)).to.equal(written[0] ? SECRET : OTHER);
    }));

  for (const write of ['writeSecretFile', 'replaceSecretFile'] as const) {
    it(`lies alone in its folder after the next ${write}, although one was killed at any step`, () =>
      inTemporaryFolder(async (folder) => {
        const work = `await module.${write}(at + '/my.key', ${JSON.stringify(SECRET)}, random);`;
        const folders = await stopAtEachStep(folder, { module: MODULE, work });
        expect(folders).to.have.length.above(5);
        for (const at of folders) {
          const left = readdirSync(at).join(' ');
          await { writeSecretFile, replaceSecretFile }[write](join(at, 'my.key'), SECRET, random);
          expect(readdirSync(at), left).to.deep.equal(['my.key']);
          expect(await readSecretFile(join(at, 'my.key')), left).to.equal(SECRET);
        }
      }));
  }

  it('never appears before its secret is in use, although the process was killed at any step', () =>
    inTemporaryFolder(async (folder) => {
      const use = `async () => { await (await promises.open(at + '/used', 'w')).close(); }`;
      const work = `await module.writeSecretFile(at + '/my.key', ${JSON.stringify(SECRET)}, random, ${use});`;
      const folders = await stopAtEachStep(folder, { module: MODULE, work });
      const appeared = folders.map((at) => readdirSync(at)).filter((names) => names.includes('my.key'));
      expect(appeared).to.have.length.above(1);
      for (const names of appeared) expect(names).to.include('used');
    }));

  it('leaves its secret unused where a file has the name', () =>
    inTemporaryFolder(async (folder) => {
      writeFileSync(join(folder, 'mine'), 'mine');
      const use = () => Promise.reject(new Error('used'));
      expect(await writeSecretFile(join(folder, 'mine'), SECRET, random, use)).to.equal(false);
      expect(readdirSync(folder)).to.deep.equal(['mine']);
    }));

  it('keeps the names of other files free, also those that begin with its own', () =>
    inTemporaryFolder(async (folder) => {
      const others = ['my.key.bak', '.my.key.partial', 'my.key.retired-1'];
      for (const name of others) writeFileSync(join(folder, name), 'mine');
      await writeSecretFile(join(folder, 'my.key'), SECRET, random);
      expect(readdirSync(folder)).to.have.members([...others, 'my.key']);
    }));

  it('may be missing, but is refused when it holds no usable secret', () =>
    inTemporaryFolder(async (folder) => {
      expect(await readSecretFile(join(folder, 'none'))).to.equal(undefined);
      for (const text of ['short', 'two words that are long enough', '']) {
        writeFileSync(join(folder, 'bad'), text);
        expect(await rejection(readSecretFile(join(folder, 'bad')))).to.include({ code: 'validation' });
      }
    }));

  it('is refused, with its path, where something else lies in its place', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'my.key');
      for (const put of OTHERS) {
        put(file);
        const error = await rejection(readSecretFile(file, ', or make one'));
        expect(error).to.include({ code: 'validation', message: `${file} is not a regular file` });
        expect(error)
          .to.have.property('hint')
          .that.matches(/^it must be a file .*, or make one$/);
        rmSync(file, { recursive: true });
      }
    }));

  it('may be a pipe where a user has named it', () =>
    inTemporaryFolder(async (folder) => {
      const pipe = join(folder, 'pipe');
      spawnSync('mkfifo', [pipe]);
      const [read] = await Promise.all([readNamedSecret(pipe), writeFile(pipe, `${SECRET}\n`)]);
      expect(read).to.equal(SECRET);
      expect(await rejection(readNamedSecret(folder))).to.include({
        code: 'validation',
        message: `${folder} cannot be read (EISDIR)`,
      });
    }));
});
