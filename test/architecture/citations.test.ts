import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect } from 'chai';
import { anchorOf, anchorsOf, listPages, pageText } from '../documents/read-pages.ts';
import { projectRoot, readScripts, readSources, type SourceFile } from './source-files.ts';

const HERE = 'test/architecture/citations.test.ts';

/** Documents that a reader cannot open, as they were cited. */
const FOREIGN: readonly RegExp[] = [
  /\bwire\s+contract\b/i,
  /\bwire\s+§?\d/i,
  /\breliability[\s,]+[A-Z]\d/i,
  /\bspecification,/i,
  /\((?:[CP]\d+(?:-\d+)?|D\d{1,2})[,)]/,
  /['"`][CP]\d{2}(?:-\d+)?: /,
  /\b(?:wire|reliability|spec)\.md\b/,
];

/** Path of a page, with the heading that may follow it: docs/reference/facts.md, "Queries". */
const CITED_PAGE = /(?<![\w/.-])((?:[\w-]+\/)*[\w-]+\.md)(?:, "([^"\n]+)")?/g;

/** Path of a source file from the root, as pages name it. */
const NAMED_SOURCE = /`((?:ports|kernel|adapters|plugins|config|client)\/[\w./-]+\.ts)`/g;

/** A line break inside a comment counts as a blank. */
const unwrapped = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/)? ?/g, ' ');

const foreignCitations = ({ path, text }: SourceFile): string[] => {
  const prose = unwrapped(text);
  return FOREIGN.flatMap((pattern) => {
    const found = pattern.exec(prose)?.[0];
    return found === undefined ? [] : [`${path} cites "${found}"`];
  });
};

/** Only comments: a path in code is data. */
const commentsOf = (text: string): string =>
  [...text.matchAll(/\/\*\*?.*?\*\/|(?<=^|\s)\/\/ .*$/gms)].map(([comment]) => unwrapped(comment)).join('\n');

const missingPages = ({ path, text }: SourceFile): string[] =>
  [...commentsOf(text).matchAll(CITED_PAGE)].flatMap(([, page = '', heading]) => {
    const here = posix.normalize(posix.join(posix.dirname(path), page));
    const target = [page, here].find((candidate) => existsSync(join(projectRoot(), candidate)));
    if (target === undefined) return [`${path} cites ${page}, which is not there`];
    if (heading === undefined || anchorsOf(target).has(anchorOf(heading))) return [];
    return [`${path} cites ${page}, "${heading}", a heading that is not there`];
  });

describe('citations', () => {
  let files: SourceFile[];
  before(async () => {
    files = [...(await readSources()), ...readScripts()].filter(({ path }) => path !== HERE);
  });

  it('name only documents of this repository', () => {
    const pages = listPages().map((path) => ({ path, text: pageText(path) }));
    expect([...files, ...pages].flatMap(foreignCitations)).to.deep.equal([]);
  });

  it('lead to existing pages and headings', () => {
    expect(files.flatMap(missingPages)).to.deep.equal([]);
    expect(files.filter(({ text }) => commentsOf(text).includes('docs/')).length).to.be.above(10);
  });

  it('of source files in the concept pages lead to existing files', () => {
    const named = listPages('docs/concepts').flatMap((path) =>
      [...pageText(path).matchAll(NAMED_SOURCE)].map(([, file = '']) => ({ path, file })),
    );
    expect(named.filter(({ file }) => !existsSync(join(projectRoot(), file)))).to.deep.equal([]);
    expect(named.length).to.be.above(10);
  });

  it('are reported when they name a missing page or a document outside the repository', () => {
    const cite = (words: string): SourceFile => ({ path: 'kernel/a.ts', text: `/**\n * ${words}\n */\n` });
    const foreign = [
      'The order of (wire\n * contract 4.2).',
      'See wire 1.5.',
      'By reliability.md A5.7.',
      'Alike (D1).',
      'Refused (C11-02, C11-03).',
      "it('P05: ten comes after nine')",
      'See spec.md.',
    ];
    expect(foreign.flatMap((words) => foreignCitations(cite(words)))).to.have.length(foreign.length);
    const missing = ['See performance.md.', 'See docs/none.md.', 'See docs/reference/facts.md, "None".'];
    expect(missing.flatMap((words) => missingPages(cite(words)))).to.have.length(missing.length);
  });
});
