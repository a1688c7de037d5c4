import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { blocksOf, pageText } from '../documents/read-pages.ts';
import type { StartedProgram } from '../package/started-program.ts';
import { type NewcomerPlace, openNewcomerPlace, STEP_LIMIT_MS, UNREACHED } from './newcomer-place.ts';

const SHOWN_ADDRESS = 'http://127.0.0.1:8765';
const GUIDE = 'docs/guides/write-a-plugin.md';

/** Returns the lines of the code block of a page that begins with this text. */
const shownLines = (page: string, beginning: string): readonly string[] => {
  const found = blocksOf(page).find(({ code }) => code.startsWith(beginning));
  if (found === undefined) throw new Error(`${page} has no block that begins with ${beginning}`);
  return found.code.trimEnd().split('\n');
};

/** The pages whose every command is run, here or with the other pages of docs/. */
const LITERAL = [
  'README.md',
  'docs/start/tutorial.md',
  ...['install', 'connect', 'client'].map((name) => `docs/guides/${name}.md`),
];

/** Commands that are not run, by their beginning, each with the reason. */
const NOT_RUN: readonly (readonly [beginning: string, reason: string])[] = [
  ['npm ci && npm start', 'a checkout installs all packages for development, from a registry'],
  ['npm ci && npm pack', 'the tarball of this test is packed from the build of the run'],
  ['fact-memory-node', 'the program is asked for its version, and started under its shorter name'],
  ['docker ', 'needs Docker; a test of package/ reads the Dockerfile and runs its steps'],
  ['(umask 077 && echo "POSTGRES_PASSWORD', 'makes the file for Docker Compose, whose file a test of package/ reads'],
  ['kubectl ', 'needs a cluster; a test of package/ checks the manifests'],
  ['npm install --prefix /opt/', 'needs root; a test of package/ follows the unit'],
  ['cd /opt/', 'needs root; a test of package/ follows the unit'],
  ['cp fact-memory-node.service ', 'needs root; a test of package/ follows the unit'],
  ['install fact-memory-node ', 'needs root; a test of package/ runs the command'],
  ['chown ', 'needs root'],
  ['systemctl ', 'needs systemd'],
  ['cat /var/lib/', 'needs systemd'],
];

describe('a new user with the tarball in an empty folder and the README', () => {
  let at: NewcomerPlace;
  let node: StartedProgram;
  const [install = '', start = ''] = shownLines('README.md', 'npm install');
  const [key = '', ...commands] = shownLines('README.md', 'export SVC_API_KEY');

  before(async function () {
    this.timeout(600_000);
    at = await openNewcomerPlace();
  });
  after(async () => {
    console.log(at.transcript().replace(/^/gm, '      '));
    await at.dispose();
  });

  const step = (title: string, work: () => Promise<void>): void => {
    it(title, work).timeout(STEP_LIMIT_MS);
  };

  /** Runs the next command of the README, and checks that it is the expected one. */
  const typeNext = async (word: string): Promise<string> => {
    const line = commands.shift() ?? '';
    expect(line).to.match(new RegExp(`^npx --no -- svc ${word}`));
    const { exitCode, output } = await at.type(line);
    expect(exitCode, output).to.equal(0);
    return output;
  };

  step('installs the package', async () => {
    const { exitCode, output } = await at.type(install);
    expect(exitCode, output).to.equal(0);
  });

  step('finds the same command in the tutorial, and the global one of the install guide works', async () => {
    expect(shownLines('docs/start/tutorial.md', 'npm install')).to.deep.equal([`${install} && ${start}`]);
    const [line = '', program = ''] = shownLines('docs/guides/install.md', 'npm install --global');
    const { exitCode, output } = await at.type(line);
    expect(exitCode, output).to.equal(0);
    if (output.startsWith(UNREACHED)) return;
    expect((await at.type(`${program} --version`)).output).to.match(/^\d+\.\d+\.\d+/);
  });

  step('is told how to start a node, in the words of the README', async () => {
    const { exitCode, output } = await at.type('npx --no -- svc recall "Who is Alice?"');
    expect(exitCode).to.equal(1);
    expect(output).to.contain(`start the node with "${start}"`);
  });

  step('starts a node', async () => {
    node = await at.start(start);
    expect(node.greeting).to.contain('data/admin.key').and.to.contain('Ctrl-C stops the node');
    expect((await at.type(key)).exitCode).to.equal(0);
  });

  step('asserts a fact', async () => {
    expect(await typeNext('assert'))
      .to.contain('CEO')
      .and.to.contain('agent:admin');
  });

  step('contradicts it', async () => {
    expect(await typeNext('assert'))
      .to.contain('CTO')
      .and.to.contain('contradicted');
  });

  step('recalls, and is told what was left out', async () => {
    expect(await typeNext('recall'))
      .to.contain('Left out: 2 in an open contradiction')
      .and.not.to.contain('CTO');
  });

  step('sees both sides, and settles the contradiction', async () => {
    expect(await typeNext('conflicts')).to.match(/value +CTO +CEO/);
    expect(await typeNext('resolve')).to.match(/^Settled by the fact/);
    expect(await typeNext('recall'))
      .to.contain('CTO')
      .and.not.to.contain('CEO');
    expect(commands).to.deep.equal([]);
  });

  step('sees what would connect an editor', async () => {
    const [line = ''] = shownLines('README.md', 'npx --no -- svc connect');
    const { exitCode, output } = await at.type(line);
    expect(exitCode, output).to.equal(0);
    expect(output).to.contain('mcpServers');
  });

  step('connects a program by MCP, which recalls what is known', async () => {
    const [shown = ''] = /http:\/\/[^`]+\/v1\/mcp/.exec(pageText('README.md')) ?? [];
    const admin = readFileSync(join(at.folder, 'data/admin.key'), 'utf8').trim();
    const transport = new StreamableHTTPClientTransport(new URL(at.addressOf(shown)), {
      requestInit: { headers: { Authorization: `Bearer ${admin}` } },
    });
    const client = new Client({ name: 'newcomer', version: '1.0.0' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['recall', 'assert', 'conflicts', 'resolve']);
    const recalled = await client.callTool({ name: 'recall', arguments: { query: 'Who is Alice?' } });
    expect(JSON.stringify(recalled.structuredContent)).to.contain('CTO');
    await client.close();
  });

  step('makes the same requests by curl', async () => {
    const [assertion = '', ...reads] = shownLines('README.md', 'curl');
    const send = async (line: string): Promise<string> => {
      const { exitCode, output } = await at.type(at.addressOf(line));
      expect(exitCode, output).to.equal(0);
      return output;
    };
    for (const line of [assertion, ...reads]) expect(await send(line)).to.contain('green tea');
  });

  it('has run every command of the first pages, or gives the reason', () => {
    const typed = at.transcript().replaceAll(at.addressOf(SHOWN_ADDRESS), SHOWN_ADDRESS);
    const left = LITERAL.flatMap((page) =>
      blocksOf(page)
        // Blocks in docs/ that are marked as bash are run with their pages.
        .filter(({ language }) => language === 'sh' || (language === 'bash' && page === 'README.md'))
        .flatMap(({ code }) => code.trimEnd().split('\n'))
        .filter((line) => !typed.includes(`$ ${line}    [`) && line !== `${install} && ${start}`),
    );
    const reasonOf = (line: string) => NOT_RUN.find(([beginning]) => line.startsWith(beginning))?.[1];
    for (const line of left) console.log(`      not run: ${line}: ${reasonOf(line) ?? 'no reason'}`);
    expect(left.filter((line) => reasonOf(line) === undefined)).to.deep.equal([]);
  });

  step('writes the plugin of the guide, and loads it', async () => {
    expect(pageText('README.md')).to.contain(`(${GUIDE})`).and.to.contain('`npx --no -- svc start --config node.json`');
    const code = shownLines(GUIDE, '// house-rules.mjs');
    writeFileSync(join(at.folder, 'house-rules.mjs'), `${code.join('\n')}\n`);
    const block = shownLines(GUIDE, 'cat > node.json');
    const configuration = block.slice(0, block.indexOf('END') + 1).join('\n');
    expect((await at.type(configuration)).exitCode).to.equal(0);
    await node.end();
    node = await at.start('npx --no -- svc start --config node.json');
    const refused = await at.type('npx --no -- svc assert user:alice memory:city Porto --source agent:other');
    expect(refused.exitCode).to.equal(1);
    expect(refused.output).to.contain('this source is not one we know');
    const stored = await at.type('npx --no -- svc assert user:alice memory:city Porto --source agent:me');
    expect(stored.exitCode, stored.output).to.equal(0);
  });
});
