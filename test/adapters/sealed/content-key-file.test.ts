import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { expect } from 'chai';
import { readKeyFile, zeroFormerKeys } from '../../../adapters/sealed/content-key-file.ts';
import { freshKeys, withFreshRoot, withPresentRootOnly } from '../../../adapters/sealed/content-keys.ts';
import { sealWith } from '../../../adapters/sealed/content-seal.ts';
import { openContentSeal } from '../../kit/content-seal.ts';
import { rejection } from '../../kit/rejection.ts';
import { refusalOnFullDisk } from '../../kit/run-on-full-disk.ts';
import { ALICE, BOB, newFile, PLACE, sealable, sourceOf, unopened } from './key-files.ts';

describe('the file of content keys', () => {
  it('belongs to its owner alone, and holds nothing of a key in the clear', async () => {
    const { path } = await newFile();
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8')))).to.deep.equal([
      'format',
      'id',
      'version',
      'key_id',
      'sealed_keys',
    ]);
  });

  it('names the key that opens it when that is missing', async () => {
    const { path } = await newFile();
    const refused = await rejection(openContentSeal({ path, source: sourceOf(randomBytes(32)) }));
    expect(refused).to.have.property('code', 'conflict');
    expect(refused)
      .to.have.property('message')
      .that.matches(/are sealed with the key [0-9a-f]{16}/);
  });

  it('opens with an earlier key of the operator, and after a change with the present one', async () => {
    const [former, present] = [randomBytes(32), randomBytes(32)];
    const { path } = await newFile(sourceOf(former));
    const seal = await openContentSeal({ path, source: sourceOf(present, former) });
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    expect(await openContentSeal({ path, source: sourceOf(present) })).to.have.property('version', 2);
  });

  it('is refused when it is cut, changed, newer, or shows another version than it was sealed with', async () => {
    const { path, open } = await newFile();
    const text = (await readKeyFile(path)) ?? '';
    const json = JSON.parse(text) as Record<string, unknown>;
    const spoiled = [
      text.slice(0, 40),
      'null',
      JSON.stringify({ ...json, version: 9 }),
      JSON.stringify({ ...json, format: 2 }),
      JSON.stringify({ ...json, sealed_keys: 'AAAA' }),
    ];
    for (const one of spoiled) {
      await writeFile(path, one);
      expect(await rejection(open()), one).to.have.property('code', 'unavailable');
    }
  });

  const others: Readonly<Record<string, (path: string) => unknown>> = {
    'a folder': (path) => mkdir(path),
    'a pipe that nobody writes to': (path) => spawnSync('mkfifo', [path]),
    'a link to itself': (path) => symlink(path, path),
    'a link to a device': (path) => symlink('/dev/zero', path),
    'a file of three gigabytes': async (path) => {
      await writeFile(path, '');
      await truncate(path, 3 * 1024 ** 3);
    },
  };
  for (const [title, put] of Object.entries(others)) {
    it(`is refused, with its path, where there is ${title}`, async () => {
      const { path, open } = await newFile();
      const seal = await open();
      await rm(path);
      await put(path);
      for (const work of [() => open(), () => seal.destroy([{ ...ALICE, generation: 0, isWhole: true }])]) {
        const refused = await rejection(work());
        expect(refused).to.include({ code: 'unavailable' });
        expect(refused.message).to.contain(`the content keys in ${path} cannot be used (`);
      }
    });
  }

  it('stays as it was on a full disk, and says so', async () => {
    const { path } = await newFile();
    const before = await readFile(path, 'utf8');
    const module = new URL('../../../adapters/sealed/content-key-file.js', import.meta.url).href;
    const { message, hint } = refusalOnFullDisk(module, `module.replaceKeyFile(${JSON.stringify(path)}, 'other keys')`);
    expect(message).to.match(/ cannot be used \(E[A-Z]+\)$/);
    expect(hint).to.equal('free space on its disk');
    expect(await readFile(path, 'utf8')).to.equal(before);
  });

  it('is asked for when it is missing at an erasure', async () => {
    const { path, open } = await newFile();
    const seal = await open();
    await rm(path);
    const refused = await rejection(seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]));
    expect(refused).to.have.property('code', 'unavailable');
    expect(refused).to.have.property('message').that.contains(path);
  });

  it('opens former contents after a rotation, until the former root is dropped', async () => {
    const { path, source } = await newFile();
    const keys = freshKeys();
    const before = sealWith(keys, { path, source });
    const [value, text] = [before.sealValue(ALICE, 'f1', sealable('tea')), before.sealText(PLACE, 'a reply')];
    const next = withFreshRoot(keys);
    const rotated = sealWith(next, { path, source });
    expect(rotated.openValue(ALICE, 'f1', value)).to.equal('tea');
    expect(rotated.openText(PLACE, text)).to.equal('a reply');
    const after = sealWith(withPresentRootOnly(next), { path, source });
    unopened(() => after.openValue(ALICE, 'f1', value));
    expect(after.openValue(ALICE, 'f1', rotated.sealValue(ALICE, 'f1', sealable('tea')))).to.equal('tea');
  });

  describe('after a kill', () => {
    const alices = [{ ...ALICE, generation: 0, isWhole: true }];
    const leave = async (path: string, name: string, text: string): Promise<() => Promise<Buffer>> => {
      await writeFile(`${path}${name}`, text);
      // A second name shows the bytes that would be in free blocks.
      await link(`${path}${name}`, `${path}.blocks`);
      return () => readFile(`${path}.blocks`);
    };
    const isZeroed = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

    it('has no former file, whose bytes are zeroed, once the erasure is repeated', async () => {
      const { path, open } = await newFile();
      const text = await readFile(path, 'utf8');
      await (await open()).destroy(alices);
      const blocks = await leave(path, '.former', text);
      await (await open()).destroy(alices);
      expect(isZeroed(await blocks())).to.equal(true);
      expect((await readdir(dirname(path))).sort()).to.deep.equal([basename(path), `${basename(path)}.blocks`]);
    });

    it('has no draft, whose bytes are zeroed, after the next erasure', async () => {
      const { path, open } = await newFile();
      const blocks = await leave(path, '.next', await readFile(path, 'utf8'));
      await (await open()).destroy(alices);
      expect(isZeroed(await blocks())).to.equal(true);
      expect((await readdir(dirname(path))).sort()).to.deep.equal([basename(path), `${basename(path)}.blocks`]);
    });

    it('stays as it is where it has its second name already', async () => {
      const { path, open } = await newFile();
      await link(path, `${path}.former`);
      await zeroFormerKeys(path);
      expect(await open()).to.have.property('version', 1);
      expect(await readdir(dirname(path))).to.deep.equal([basename(path)]);
    });
  });

  it('grows by less than four KiB with an erasure', async () => {
    const { path, open } = await newFile();
    const seal = await open();
    await seal.destroy([{ ...BOB, generation: 0, isWhole: true }]);
    const { size } = await stat(path);
    await seal.destroy([{ ...ALICE, generation: 0, isWhole: true }]);
    expect((await stat(path)).size - size).to.be.below(4_096);
  });
});
