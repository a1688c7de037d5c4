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

  it('are what the code says; npm run docs writes them anew', () => {
    const late = listPages('docs').filter((page) => fillPage(pageText(page), parts) !== pageText(page));
    expect(late).to.deep.equal([]);
  });

  it('are joined by the types of the client, which npm run docs writes anew as well', () => {
    expect([...files.keys()]).to.deep.equal(['client/api-types.ts']);
    for (const [path, text] of files) expect(pageText(path) === text, path).to.equal(true);
  });

  it('stand in a page each, once', () => {
    const named = listPages('docs').flatMap((page) =>
      [...pageText(page).matchAll(/<!-- generated: (\w+) -->/g)].map(([, name = '']) => name),
    );
    expect(named.sort()).to.deep.equal([...parts.keys()].sort());
  });

  it('have a row for every hook', async () => {
    expect(undescribedHooks(await readSources())).to.deep.equal([]);
  });
});
