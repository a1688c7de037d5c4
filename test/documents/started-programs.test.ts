import { expect } from 'chai';
import { readSources } from '../architecture/source-files.ts';
import { listPages, pageText } from './read-pages.ts';

describe('the pages', () => {
  it('start this program through npx in no client and under no name that an open project could own', () => {
    const pages = listPages();
    expect(pages).to.include.members(['docs/guides/mcp.md', 'docs/guides/install.md', 'README.md']);
    expect(pages.filter((page) => /npx (?:-\S+ )*fact-memory-node|"npx"/.test(pageText(page)))).to.deep.equal([]);
  });

  it('use npx only after the package is installed in the same folder', () => {
    for (const page of listPages()) {
      const [first] = /npx [\w -]*svc/.exec(pageText(page)) ?? [];
      if (first !== undefined) expect(pageText(page), page).to.contain('npm install ./fact-memory-node-*.tgz');
    }
  });

  it('let npx install no package of a stranger', () => {
    // Contributors have mocha installed, because they have built and tested the program.
    const calls = listPages().flatMap((page) =>
      [...pageText(page).matchAll(/npx (?!--no --|mocha )[\w@-].*/g)].map(([call]) => `${page}: ${call}`),
    );
    expect(calls).to.deep.equal([]);
  });
});

describe('the hints of the program', () => {
  const COMMANDS =
    'audit|backup|connect|doctor|encryption|export|import|init|jobs|key|login|node-key|peer|plugins|reindex|restored?|' +
    'rotate|start|tenant|tombstone|upgrade|upkeep|verify';
  const BARE = new RegExp(`(?:\\b(?:run|with|then) |hint: ')"(?:${COMMANDS})\\b[^"]*"`, 'g');

  it('show commands as people type them, with the name of the program', async () => {
    const bare = (await readSources())
      .filter(({ path }) => /^(?:adapters|config|kernel|plugins|ports)\//.test(path))
      .flatMap(({ path, text }) => [...text.matchAll(BARE)].map(([hint]) => `${path}: ${hint}`));
    expect(bare).to.deep.equal([]);
  });
});
