import { expect } from 'chai';
import { listPages, pageText } from './read-pages.ts';

describe('the pages', () => {
  it('start this program through npx in no client and under no name that an open project could own', () => {
    const pages = listPages();
    expect(pages).to.include.members(['docs/guides/mcp.md', 'docs/guides/install.md', 'README.md']);
    expect(pages.filter((page) => /npx (?:-\S+ )*fact-memory-node|"npx"/.test(pageText(page)))).to.deep.equal([]);
  });

  it('use npx only after the package is installed in the same folder', () => {
    for (const page of listPages()) {
      const [first] = /npx svc/.exec(pageText(page)) ?? [];
      if (first !== undefined) expect(pageText(page), page).to.contain('npm install ./fact-memory-node-*.tgz');
    }
  });
});
