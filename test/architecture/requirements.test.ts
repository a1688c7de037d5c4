import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pageText } from '../documents/read-pages.ts';
import { projectRoot } from './source-files.ts';

const PAGE = 'docs/reference/requirements.md';
const ROW = /^\| (\d*) ?\| ([^|]+\.) \| \[([^\]]+)\]\(([^)]+)\) \| `([^`]+)`: ([^|]+) \|$/;

interface Requirement {
  readonly text: string;
  readonly page: { readonly title: string; readonly path: string };
  readonly test: { readonly title: string; readonly path: string };
}

const rowsOf = (page: string): string[] =>
  page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| no. |'));

const readRow = (line: string): Requirement => {
  const [, , text = '', title = '', link = '', path = '', suite = ''] = ROW.exec(line) ?? [];
  return {
    text,
    page: { title, path: join('docs/reference', link) },
    test: { title: suite, path: `test/${path}` },
  };
};

/** Returns the titles of the suites and tests in a file. Suites of a contract begin with `describeAuthorizer` or so. */
const titlesOf = (source: string): string[] =>
  [...source.matchAll(/\b(?:describe\w*|forEachStore|it)\(\s*(['"`])(.*?)\1,/gs)].map(([, , title = '']) => title);

const textOf = (path: string): string =>
  existsSync(join(projectRoot(), path)) ? readFileSync(join(projectRoot(), path), 'utf8') : '';

describe('the list of requirements', () => {
  const rows = rowsOf(pageText(PAGE));
  const requirements = rows.map(readRow);

  it('has a requirement, a page and a test in each row', () => {
    expect(rows.length).to.be.above(80);
    expect(rows.filter((line) => !ROW.test(line))).to.deep.equal([]);
    expect(new Set(requirements.map(({ text }) => text)).size).to.equal(rows.length);
  });

  it('names existing pages by their titles', () => {
    const wrong = requirements.filter(({ page }) => !textOf(page.path).startsWith(`# ${page.title}\n`));
    expect(wrong).to.deep.equal([]);
  });

  it('names existing suites and tests by their titles', () => {
    const wrong = requirements.filter(
      ({ test }) => !test.path.endsWith('.test.ts') || !titlesOf(textOf(test.path)).includes(test.title),
    );
    expect(wrong).to.deep.equal([]);
  });
});
