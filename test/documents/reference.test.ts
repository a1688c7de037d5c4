import { expect } from 'chai';
import { readSources } from '../architecture/source-files.ts';
import { undescribedHooks } from './describe-hooks.ts';
import { fillPage, type Generated, generateReference } from './generated-parts.ts';
import { listPages, pageText } from './read-pages.ts';

describe('the generated parts of docs/', () => {
  let parts: Generated['parts'];
  let files: Generated['files'];
  before(async () => {
    ({ parts, files } = await generateReference());
  });

  it('match the code; npm run docs rewrites them', () => {
    const late = listPages('docs').filter((page) => fillPage(pageText(page), parts) !== pageText(page));
    expect(late).to.deep.equal([]);
  });

  it('include the types of both clients, which npm run docs rewrites as well', () => {
    expect([...files.keys()]).to.deep.equal(['client/api-types.ts', 'client/python/src/fact_memory/types.py']);
    for (const [path, text] of files) expect(pageText(path) === text, path).to.equal(true);
  });

  it('occur in one page each', () => {
    const named = listPages('docs').flatMap((page) =>
      [...pageText(page).matchAll(/<!-- generated: (\w+) -->/g)].map(([, name = '']) => name),
    );
    expect(named.sort()).to.deep.equal([...parts.keys()].sort());
  });

  it('contain a row for every hook', async () => {
    expect(undescribedHooks(await readSources())).to.deep.equal([]);
  });
});
