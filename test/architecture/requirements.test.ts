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

  it('names existing tests by the titles of their suites', () => {
    const wrong = requirements.filter(({ test }) => {
      const source = textOf(test.path);
      return (
        !test.path.endsWith('.test.ts') || !["'", '`', '"'].some((mark) => source.includes(mark + test.title + mark))
      );
    });
    expect(wrong).to.deep.equal([]);
  });
});
