import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type RunningProgram, Workplace } from '../adapters/cli/spawned-program.ts';
import { readSources } from '../architecture/source-files.ts';
import { anchorsOf, blocksOf, listPages, pageText } from './read-pages.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const runFile = promisify(execFile);
/** Matches lines that cannot be wrapped: table rows, the index of decisions, and the head of a skill. */
const TABLE_OR_LIST = /^\||^- \d+ · \[|^description: /;

/** Returns the code blocks of a document in one language, in order. */
const blocks = (name: string, language: string): string[] =>
  blocksOf(name)
    .filter((block) => block.language === language)
    .map(({ code }) => code);

/** Returns the first configuration in a document that names the plugin. */
const configuration = (name: string): string => /\{ "plugins": \{ "house-rules".*\}/.exec(pageText(name))?.[0] ?? '';

describe('the pages of documentation', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });

  afterEach(() => place.dispose());

  it('show requests that work when pasted beside a new node', async () => {
    await place.start();
    const lines = (blocks('README.md', 'bash').find((code) => code.startsWith('curl')) ?? '').trim().split('\n');
    const ask = async (line = ''): Promise<Record<string, unknown>> => {
      const typed = `export SVC_API_KEY="$(cat data/admin.key)"\n${line}`;
      return JSON.parse((await runFile('sh', ['-c', typed], { cwd: place.folder })).stdout) as Record<string, unknown>;
    };
    const answers: Record<string, unknown>[] = [];
    for (const line of lines) answers.push(await ask(line));

    expect(answers).to.have.length(3);
    expect(answers[0]).to.have.property('cid');
    expect(answers[1]).to.have.property('total', 1);
    expect(answers[2]).to.have.property('total_scored', 1);

    // Checks what the text says about another value.
    const [assertion, query, recall] = lines;
    await ask(assertion?.replace('green', 'black'));
    expect((await ask(query))['facts'])
      .to.have.length(1)
      .and.to.have.nested.property('[0].contradicted', true);
    expect(await ask(recall)).to.deep.include({
      facts: [],
      omitted: { contradicted: 2, budget: 0, repeated: 0 },
      degraded: [],
    });
    const both = await ask(recall?.replace('"query"', '"include_contradicted":true,"query"'));
    expect(both).to.have.property('total_scored', 2);
    const card = await ask(query?.replace('/v1/facts?entity=user:alice', '/v1/cards/user:alice'));
    expect(card['summary']).to.contain('green tea').and.to.contain('black tea');
  });

  /** Installs the plugin that a document shows in a folder with the installed package, and starts a node with it. */
  const startWithShownPlugin = async (name: string): Promise<RunningProgram> => {
    const shown = blocks(name, 'js').find((code) => code.startsWith('// house-rules.mjs')) ?? '';
    mkdirSync(place.path('node_modules'));
    symlinkSync(ROOT, place.path('node_modules/fact-memory-node'));
    writeFileSync(place.path('house-rules.mjs'), shown);
    writeFileSync(place.path('node.json'), configuration(name));
    return place.start(['--config', 'node.json']);
  };

  const assertFact = async (node: RunningProgram, fact: Readonly<Record<string, unknown>>): Promise<Response> =>
    fetch(`${node.url}/v1/facts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readFileSync(place.path('data/admin.key'), 'utf8').trim()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        entity: 'user:alice',
        relation: 'memory:role',
        value: { type: 'string', v: 'CEO' },
        ...fact,
      }),
    });

  it('show a plugin with settings that works unchanged', async () => {
    const node = await startWithShownPlugin('docs/guides/write-a-plugin.md');

    expect((await assertFact(node, { source: 'agent:me' })).status).to.equal(201);
    expect((await assertFact(node, { source: 'agent:other' })).status).to.equal(403);
  });

  it('show examples exactly as in the files that they name', () => {
    const shown = listPages('docs').flatMap((page) => blocks(page, 'ts').filter((code) => code.startsWith('// ')));
    expect(shown.length).to.be.above(2);
    for (const code of shown) {
      const [name = '', ...lines] = code.split('\n');
      const source = pageText(name.slice('// '.length));
      for (const part of lines.join('\n').split('...\n')) expect(source).to.contain(part);
    }
  });

  it('link to existing pages and headings', () => {
    const found = listPages();
    expect(found).to.include.members(['README.md', 'docs/README.md', 'plugins/README.md']);
    const broken = found.flatMap((page) =>
      [...pageText(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, path = '', anchor]) => !leadsSomewhere(page, path, anchor))
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('list every decision once, with a number of its own and its title, in rising order in each area', () => {
    const titles = listPages('docs/decisions')
      .toSorted()
      .filter((page) => !page.endsWith('/README.md'))
      .map((page) => {
        const [number, title] = /^# (\d+)\. (.+)$/m.exec(pageText(page))?.slice(1) ?? [];
        return `- ${number} · [${title}](${posix.basename(page)})`;
      });
    const areas = pageText('docs/decisions/README.md')
      .split(/^## /m)
      .map((area) => area.match(/^- \d+ · \[.+?\]\(.+?\)/gm) ?? []);
    expect(areas.flat()).to.have.members(titles);
    const numberOf = (line: string): number => Number(/\d+/.exec(line)?.[0]);
    expect(new Set(titles.map(numberOf)).size).to.equal(titles.length);
    for (const area of areas) expect(area).to.deep.equal(area.toSorted((a, b) => numberOf(a) - numberOf(b)));
    const wrong = listPages('docs/decisions').filter((page) => {
      const number = /\/(\d{4})-/.exec(page)?.[1];
      return number !== undefined && !pageText(page).startsWith(`# ${Number(number)}. `);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('name only existing variables, and in decisions only existing identifiers', async () => {
    // The settings page is generated from the code.
    const code = [pageText('docs/reference/settings.md'), ...(await readSources()).map(({ text }) => text)].join('\n');
    const namesIn = (page: string): string[] => [
      ...(pageText(page).match(/\bSVC_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []),
      ...(page.startsWith('docs/decisions/')
        ? (pageText(page).match(/(?<=`)[A-Za-z.]*[a-z][A-Z][A-Za-z.]*(?=`)/g) ?? [])
        : []),
    ];
    const unknown = listPages().flatMap((page) =>
      namesIn(page)
        .filter((name) => !code.includes(name.slice(name.lastIndexOf('.') + 1)))
        .map((name) => `${page}: ${name}`),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('wrap their prose at 120 columns', () => {
    const wide = listPages().flatMap((page) => {
      const prose = pageText(page).replaceAll(/^```.*?^```$|<!-- generated.*?<!-- end of generated -->/gms, '');
      return prose
        .split('\n')
        .flatMap((line) => (line.length > 120 && !TABLE_OR_LIST.test(line) ? [`${page}: ${line}`] : []));
    });
    expect(wide).to.deep.equal([]);
  });

  it('in docs/ can all be reached from its first page', () => {
    const reached = new Set(['docs/README.md']);
    for (const page of reached) {
      for (const [, path = ''] of pageText(page).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)) {
        const target = posix.normalize(posix.join(posix.dirname(page), path));
        if (target.startsWith('docs/')) reached.add(target);
      }
    }
    expect(listPages('docs').filter((page) => !reached.has(page))).to.deep.equal([]);
  });
});

const leadsSomewhere = (page: string, path: string, anchor: string | undefined): boolean => {
  const target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
};
