import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pageText } from '../documents/read-pages.ts';
import { projectRoot, readSources } from './source-files.ts';

/** The invariants of the page, each with the tests that the page names. */
const listed = (): Map<string, string[]> =>
  new Map(
    pageText('docs/reference/invariants.md')
      .split('\n')
      .filter((line) => /^\| I\d+ \|/.test(line))
      .map((line) => {
        const [, id = '', , tests = ''] = line.split('|').map((cell) => cell.trim());
        return [id, [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => `test/${path}`)];
      }),
  );

/** Returns the invariants that the titles of a test file name. */
const attacked = (text: string): string[] =>
  [...text.matchAll(/(?:describe|forEachStore|it)\(\s*(['"`])(.*?)\1,/gs)].flatMap(
    ([, , title = '']) => title.match(/\bI\d+\b/g) ?? [],
  );

describe('the list of invariants', () => {
  it('is numbered without a gap', () => {
    expect([...listed().keys()]).to.deep.equal(Array.from(listed(), (_, at) => `I${at + 1}`));
    expect(listed().size).to.be.above(20);
  });

  it('names existing tests for each invariant', () => {
    for (const [id, tests] of listed()) {
      expect(tests, id).not.to.deep.equal([]);
      expect(
        tests.filter((path) => !path.endsWith('.test.ts') || !existsSync(join(projectRoot(), path))),
        id,
      ).to.deep.equal([]);
    }
  });

  it('has an attack for each invariant, and names every attack', async () => {
    const attacks = (await readSources()).filter(({ path }) => /^test\/hostile\/.+\.test\.ts$/.test(path));
    const aims = attacks.flatMap(({ path, text }) => [...new Set(attacked(text))].map((id) => ({ id, path })));
    expect([...listed().keys()].filter((id) => !aims.some((aim) => aim.id === id))).to.deep.equal([]);
    expect(aims.filter(({ id, path }) => !listed().get(id)?.includes(path))).to.deep.equal([]);
  });
});
