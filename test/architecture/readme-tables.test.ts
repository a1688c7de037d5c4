import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from './source-files.ts';

const FILE = /^[a-z0-9-]+(\.[a-z0-9-]+)*(\.(ts|mjs)|\/)$/;

/** Files and folders in the first column of the tables of a README. */
const namedIn = (folder: string): string[] =>
  readFileSync(join(projectRoot(), folder, 'README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter((name) => FILE.test(name));

const contentsOf = (folder: string): string[] =>
  readdirSync(join(projectRoot(), folder), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );

describe('the README of a folder', () => {
  for (const folder of ['kernel', 'config', 'adapters', 'test', 'bench']) {
    it(`of ${folder} names what is there`, () => {
      const isThere = (name: string): boolean =>
        existsSync(join(projectRoot(), folder, name)) || existsSync(join(projectRoot(), name));
      expect(namedIn(folder).filter((name) => !isThere(name))).to.deep.equal([]);
    });
  }

  it('of config names every file, and of the kernel every folder', () => {
    const files = contentsOf('config').filter((name) => /\.(ts|mjs)$/.test(name));
    expect(files.filter((name) => !namedIn('config').includes(name))).to.deep.equal([]);
    const folders = contentsOf('kernel').filter((name) => name.endsWith('/'));
    expect(folders.filter((name) => !namedIn('kernel').includes(name))).to.deep.equal([]);
  });
});
