import { expect } from 'chai';
import { blocksOf, listPages } from './read-pages.ts';
import { runPage } from './run-page.ts';
import { differencesFromShown } from './shown-output.ts';

/**
 * Commands that may stay unexecuted in a `sh` block, because they need a server, a network, an installation, or a
 * folder apart from the machine (`/safe`) or of a service (`/var/lib`).
 */
const NEEDS_MORE =
  /\bnp[mx]\b|postgres|SVC_DATABASE_URL|SVC_EMBED_|sqlite3|pg_dump|restored|reindex|backup|docker|start\b|\/safe\/|\/var\/lib\//;
const FILE_NAME = /^\/\/ \S+\.mjs\n/;
/** A user who types these sends their own settings into another folder. */
const OF_A_TEST = /(?:^|\s)(?:HOME|USERPROFILE|TMPDIR|XDG_[A-Z_]+)=/m;
const QUOTED_FILE = /^\/\/ (test|examples|plugins|kernel|ports|adapters)\/\S+\.m?[jt]s\n/;

/** Commands before those of a page, because its reader has a node already, and facts. */
const EARLIER_WORK: Readonly<Record<string, string>> = {
  'docs/guides/swap-a-store.md': 'fact-memory-node init >/dev/null 2>&1\n',
  'docs/guides/client.md': `for role in painter poet; do
    SVC_API_KEY=$(cat data/admin.key) fact-memory-node assert user:bob memory:role $role >/dev/null 2>&1
  done
`,
};

describe('the pages of docs/', () => {
  const pages = listPages('docs');

  for (const page of pages.filter((path) => blocksOf(path).some(({ language }) => language === 'bash'))) {
    it(`show the real output: ${page}`, async function () {
      this.timeout(300_000);
      expect(await runPage(page, { before: EARLIER_WORK[page] ?? '' })).to.deep.equal([]);
    });
  }

  it('run every program that they show, or name a reason for each command that is not run', () => {
    const unsaid = pages.flatMap((page) => {
      const blocks = blocksOf(page);
      const users = blocks.filter(({ language }) => language === 'bash' || language === 'js').map(({ code }) => code);
      return blocks
        .filter(({ language, code }) => {
          if (language === 'sh') return !NEEDS_MORE.test(code);
          if (language === 'ts') return !QUOTED_FILE.test(code);
          if (language !== 'js' || !FILE_NAME.test(code)) return language === 'js';
          const name = code.slice('// '.length, code.indexOf('\n'));
          return !users.some((user) => user !== code && user.includes(name));
        })
        .map(({ code }) => `${page}: ${code.split('\n')[0]}`);
    });
    expect(unsaid).to.deep.equal([]);
  });

  it('of the tutorial work beside another node: the address stands in one place, and files lie in the data folder', () => {
    const blocks = blocksOf('docs/start/tutorial.md').filter(({ language }) => language === 'bash');
    const script = blocks.map(({ code }) => code).join('');
    expect(script.match(/127\.0\.0\.1:\d+/g)).to.deep.equal(['127.0.0.1:8765']);
    const written = [...script.matchAll(/(?:--out|>) (\S+)/g)].map(([, file = '']) => file);
    expect(written).to.deep.equal(['data/guest.key', 'data/node.json']);
  });

  it('set no variable that only a test needs', () => {
    const settings = pages.flatMap((page) =>
      blocksOf(page)
        .filter(({ code }) => OF_A_TEST.test(code))
        .map(({ code }) => `${page}: ${code.split('\n')[0]}`),
    );
    expect(settings).to.deep.equal([]);
  });

  it('fail this test if their output is wrong', () => {
    const shown = { a: 'x…', list: [1, '…'], gone: null };
    expect(differencesFromShown(shown, { a: 'xyz', list: [1, 2, 3], gone: null, more: 1 })).to.deep.equal([]);
    expect(differencesFromShown(shown, { a: 'yx', list: [2], gone: 0 })).to.have.length(3);
    expect(differencesFromShown([1, 2], [1])).to.have.length(1);
  });
});
