import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type RunningProgram, Workplace } from '../adapters/cli/spawned-program.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'coverage']);
const runFile = promisify(execFile);

const documentText = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Code blocks of a document in one language, in order. */
const blocks = (name: string, language: string): string[] =>
  [...documentText(name).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

/** The first piece of configuration in a document that speaks of the plugin. */
const configuration = (name: string): string =>
  /\{ "plugins": \{ "house-rules".*\}/.exec(documentText(name))?.[0] ?? '';

const documents = (folder = ''): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? documents(path) : path.endsWith('.md') ? [path] : [];
  });

describe('the documents', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });

  afterEach(() => place.dispose());

  it('show requests that work when they are pasted beside a fresh node', async () => {
    const node = await place.start();
    const lines = (blocks('README.md', 'bash').find((code) => code.startsWith('curl')) ?? '').trim().split('\n');
    const answers: Record<string, unknown>[] = [];
    for (const line of lines) {
      const here = line.replace('http://127.0.0.1:8765', node.url);
      expect(here).not.to.equal(line);
      const { stdout } = await runFile('sh', ['-c', here], { cwd: place.folder });
      answers.push(JSON.parse(stdout) as Record<string, unknown>);
    }

    expect(answers).to.have.length(3);
    expect(answers[0]).to.have.property('cid');
    expect(answers[1]).to.have.property('total', 1);
    expect(answers[2]).to.have.property('total_scored', 1);

    // And what the text says of another value.
    const [assertion, query, recall] = lines.map((line) => line.replace('http://127.0.0.1:8765', node.url));
    const ask = async (line = ''): Promise<Record<string, unknown>> =>
      JSON.parse((await runFile('sh', ['-c', line], { cwd: place.folder })).stdout) as Record<string, unknown>;
    await ask(assertion?.replace('CEO', 'CTO'));
    expect((await ask(query))['facts'])
      .to.have.length(1)
      .and.to.have.nested.property('[0].contradicted', true);
    expect(await ask(recall)).to.deep.include({ facts: [], omitted: { contradicted: 2, budget: 0 }, degraded: [] });
    const both = await ask(recall?.replace('"query"', '"include_contradicted":true,"query"'));
    expect(both).to.have.property('total_scored', 2);
    const card = await ask(query?.replace('/v1/facts?entity=user:alice', '/v1/cards/user:alice'));
    expect(card['summary']).to.contain('CEO').and.to.contain('CTO');
  });

  /** Installs the plugin that a document shows in a folder that knows the node only as a package, and starts it. */
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

  it('show a first plugin that works as it stands', async () => {
    const node = await startWithShownPlugin('README.md');
    const rumour = await assertFact(node, { source: 'agent:me', confidence: 0.1 });

    expect((await assertFact(node, { source: 'agent:me' })).status).to.equal(201);
    expect(rumour.status).to.equal(403);
    expect(await rumour.json()).to.include({ code: 'authorization', detail: 'we do not keep rumours' });
  });

  it('show a plugin with settings that works as it stands', async () => {
    const node = await startWithShownPlugin('docs/guides/write-a-plugin.md');

    expect((await assertFact(node, { source: 'agent:me' })).status).to.equal(201);
    expect((await assertFact(node, { source: 'agent:other' })).status).to.equal(403);
  });

  it('show examples as they are in the files that they name', () => {
    const shown = blocks('docs/guides/write-a-plugin.md', 'ts').filter((code) => code.startsWith('// test/examples/'));
    expect(shown).to.have.length(2);
    for (const code of shown) {
      const [name = '', ...lines] = code.split('\n');
      const source = documentText(name.slice('// '.length));
      for (const part of lines.join('\n').split('...\n')) expect(source).to.contain(part);
    }
  });

  it('link to files that are there', () => {
    const found = documents();
    expect(found).to.include.members(['README.md', 'docs/README.md', 'plugins/README.md']);
    const broken = found.flatMap((name) =>
      [...documentText(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(resolve(ROOT, dirname(name), target)))
        .map((target) => `${name}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });
});
