import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { listPages, pageText } from '../documents/read-pages.ts';
import { projectRoot } from './source-files.ts';

const FILE = /^[a-z0-9-]+(\.[a-z0-9-]+)*(\.(ts|mjs)|\/)$/;

/** Returns the files and folders in the first column of the tables of a README. */
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

const repeated = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

const readmes = (): string[] => listPages().filter((path) => path.endsWith('README.md') && !path.startsWith('docs/'));

/** Matches a number of things, which becomes wrong with the next change of the code. */
const COUNT = /\b\d{2,} (methods|plugins|hooks|routes|commands|tables|files|folders)\b/i;

/** Returns the interface of a port file, which the README names instead: `FactStore` for fact-store.ts. */
const interfaceOf = (file: string): string =>
  file
    .replace(/\.ts$/, '')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Returns the methods that an interface itself declares. */
const methodsOf = (text: string, name: string): string[] => {
  const body = new RegExp(`export interface ${name}\\b.*?\\{\\n(.*?)\\n\\}`, 's').exec(text)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+)\??(?:<[^(]*>)?\(/gm)].map(([, method = '']) => method);
};

describe('the README of a folder', () => {
  for (const folder of ['kernel', 'ports', 'config', 'adapters', 'test', 'bench']) {
    it(`of ${folder} names existing files, each once`, () => {
      const isThere = (name: string): boolean =>
        existsSync(join(projectRoot(), folder, name)) || existsSync(join(projectRoot(), name));
      const named = namedIn(folder);
      expect(named.filter((name) => !isThere(name))).to.deep.equal([]);
      expect(repeated(named)).to.deep.equal([]);
    });
  }

  for (const folder of ['config', 'ports']) {
    it(`of ${folder} names every file`, () => {
      const files = contentsOf(folder).filter((name) => /\.(ts|mjs)$/.test(name));
      const text = pageText(`${folder}/README.md`);
      const isNamed = (file: string): boolean =>
        text.includes(`\`${file}\``) || text.includes(`\`${interfaceOf(file)}\``);
      expect(files.filter((name) => !isNamed(name))).to.deep.equal([]);
    });
  }

  for (const folder of ['kernel', 'adapters', 'test']) {
    it(`of ${folder} names every folder`, () => {
      const folders = contentsOf(folder).filter((name) => name.endsWith('/') && name !== 'node_modules/');
      expect(folders.filter((name) => !namedIn(folder).includes(name))).to.deep.equal([]);
    });
  }

  it('of ports names every method of the fact store, and no others', () => {
    const source = readFileSync(join(projectRoot(), 'ports/fact-store.ts'), 'utf8');
    for (const name of ['FactStore', 'Snapshot', 'WriteTransaction']) {
      const row = pageText('ports/README.md')
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\` |`));
      const listed = [...(row?.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, method = '']) => method);
      expect(listed.sort(), name).to.deep.equal(methodsOf(source, name).sort());
    }
  });

  it('of docs links to every page of the reference', () => {
    const index = pageText('docs/README.md');
    const pages = listPages('docs/reference').map((path) => path.replace('docs/', ''));
    expect(pages.filter((page) => !index.includes(`](${page})`))).to.deep.equal([]);
  });

  it('states no number of things in the code', () => {
    expect(readmes().filter((path) => COUNT.test(pageText(path)))).to.deep.equal([]);
  });
});
