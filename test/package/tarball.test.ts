import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { type PackedPackage, packedPackage } from './packed-package.ts';

/** The maximum compressed size. More than half of it is the word table, which hardly compresses. */
const MAX_TARBALL_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 4_500;

/** Patterns of all files that the package may contain. */
const EXPECTED: readonly RegExp[] = [
  /^dist\/(adapters|client|config|kernel|plugins|ports)\/.+\.(js|mjs|d\.ts|wasm|bin|json)$/,
  /^dist\/program\/[\w-]+\.js$/,
  /^dist\/plugins\/console\/files\/[\w-]+\.(js|css)\.br$/,
  /^dist\/test\/(contract|fakes|kit)\/.+\.(js|d\.ts)$/,
  /^docs\/.+\.(md|json|jpg)$/,
  /^examples\/.+\.(mjs|json|md)$/,
  /^test\/examples\/.+\.(ts|mjs|json)$/,
  /^packaging\/.+$/,
  /^(packaging\/agents\/)?\.claude-plugin\/[a-z]+\.json$/,
  /^((adapters|bench|config|kernel|plugins|ports|test)\/)?README\.md$/,
  /^(CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  /^(LICENSE|NOTICE|package\.json)$/,
];

const STRAY =
  /\.map$|\.test\.|\.tsbuildinfo$|\.db$|\.key$|(^|\/)(\.(?!claude-plugin\/)|(data|coverage|node_modules)\/)/;

/** Returns the relative links of a page, except those in code blocks. */
const linksOf = (text: string): string[] =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^([a-z]+:|#)/.test(link));

/** The folders that a person or npm makes beside the sources. */
const MADE = /^(\.\/)?(node_modules|dist|data|release|coverage)\b/;
const FILE_NAME = /^[\w.@-]+(\/[\w.@-]+)*(\/|\.(ts|mjs|js|json|md|yaml|toml|wasm))?$/;

/** Returns the code spans of a part of a page that look like the path of a file or folder. */
const pathsIn = (part: string): string[] =>
  [...part.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)]
    .map(([, span = '']) => span)
    .filter((span) => /[/.]/.test(span) && FILE_NAME.test(span) && !MADE.test(span));

/** Returns whether the folder has the file, which a page names from the root, from its own folder or from `test/`. */
const has = (folder: string, page: string, name: string): boolean =>
  ['', posix.dirname(page), 'test'].some((from) => existsSync(join(folder, from, name)));

describe('the packed package', function () {
  this.timeout(300_000);
  let packed: PackedPackage;
  before(async () => {
    packed = await packedPackage();
  });

  it('contains the program, its documents and the tools for plugin authors, and no other files', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !EXPECTED.some((pattern) => pattern.test(path)) || STRAY.test(path))).to.deep.equal(
      [],
    );
    for (const path of ['LICENSE', 'README.md', 'dist/config/main.js', 'docs/README.md'])
      expect(paths).to.include(path);
  });

  it('has a bounded size', () => {
    expect(packed.sizeBytes).to.be.within(500_000, MAX_TARBALL_BYTES);
    expect(packed.files.length).to.be.below(MAX_FILES);
  });

  it('has no link to a file outside it', () => {
    const pages = packed.files.filter(({ path }) => path.endsWith('.md'));
    expect(pages.length).to.be.above(50);
    const dead = pages.flatMap(({ path }) =>
      linksOf(readFileSync(join(packed.installed, path), 'utf8'))
        .filter((link) => {
          const target = posix.normalize(posix.join(posix.dirname(path), link.split('#')[0] ?? ''));
          return target.startsWith('..') || !existsSync(join(packed.installed, target));
        })
        .map((link) => `${path} links to ${link}`),
    );
    expect(dead).to.deep.equal([]);
  });

  it('names no file that only the repository has, unless the page says so', () => {
    const unsaid = packed.files
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path }) => {
        const text = readFileSync(join(packed.installed, path), 'utf8').replaceAll(/^```.*?^```$/gms, '');
        const parts = text.split(/\n{2,}/).filter((part) => !part.startsWith('#'));
        if (parts[0]?.includes('repository')) return [];
        return parts
          .filter((part) => !part.includes('repository'))
          .flatMap(pathsIn)
          .filter((name) => has(projectRoot(), path, name) && !has(packed.installed, path, name))
          .map((name) => `${path} names ${name}`);
      });
    expect(unsaid).to.deep.equal([]);
  });

  it('contains every file that its manifest names, and its programs can be run', () => {
    const manifest = JSON.parse(readFileSync(join(packed.installed, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      exports: Record<string, string | Record<string, string>>;
      [name: string]: unknown;
    };
    expect(Object.keys(manifest.bin)).to.have.members(['fact-memory-node', 'svc']);
    for (const file of Object.values(manifest.bin)) {
      expect(readFileSync(join(packed.installed, file), 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/);
      expect(statSync(join(packed.installed, file)).isFile()).to.equal(true);
    }
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (entry.includes('*')) continue;
      for (const file of typeof target === 'string' ? [target] : Object.values(target)) {
        expect(existsSync(join(packed.installed, file)), `${entry}: ${file}`).to.equal(true);
      }
    }
  });
});
