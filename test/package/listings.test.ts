import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { parse as parseYaml } from 'yaml';
import { CORE_TOOLS } from '../../plugins/mcp/tools/core-tools.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { startServedNode } from '../kit/start-served-node.ts';

interface Listings {
  committedListings(): Promise<Readonly<Record<string, string>>>;
  makeListings(folder: string): Promise<readonly string[]>;
}

const ROOT = projectRoot();
const AGENTS = join(ROOT, 'packaging/agents');
const APART = join(ROOT, 'test/listings');
const runFile = promisify(execFile);

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version, mcpName } = readJson(join(ROOT, 'package.json'));
const SKILLS = readdirSync(join(AGENTS, 'skills'));
const textOf = (skill: string): string => readFileSync(join(AGENTS, 'skills', skill, 'SKILL.md'), 'utf8');

describe('the files by which other programs install this one', function () {
  this.timeout(120_000);
  let folder: string;
  let listings: Listings;
  let names: readonly string[];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'listings-'));
    listings = await import(pathToFileURL(join(ROOT, 'scripts/make-listings.mjs')).href);
    names = await listings.makeListings(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const made = (ending: string): string => join(folder, names.find((name) => name.endsWith(ending)) ?? '');

  it('are committed as the script writes them ("npm run listings" does)', async () => {
    for (const [path, text] of Object.entries(await listings.committedListings()))
      expect(readFileSync(join(ROOT, path), 'utf8'), path).to.equal(text);
  });

  it('include an entry for the registry of MCP servers that its published schema accepts', () => {
    const entry = readJson(made('server.json'));
    const schema = readJson(join(APART, 'server.schema.json'));
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    expect(validate(entry), JSON.stringify(validate.errors)).to.equal(true);
    expect(entry).to.include({ $schema: schema.$id, name: mcpName, version });
    expect(validate({ ...entry, description: 'x'.repeat(101) })).to.equal(false);
  });

  it('include a bundle for Claude Desktop that serves its tools from an empty folder', async () => {
    const files = unzipSync(readFileSync(made('.mcpb')));
    const at = join(folder, 'bundle');
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), bytes);
    }
    const { server, tools, user_config: asked } = readJson(join(at, 'manifest.json'));
    const node = await startServedNode();
    const client = new Client({ name: 'test', version: '1.0.0' });
    try {
      const given = new Map(Object.entries({ url: node.url, api_key: node.adminKey }));
      expect([...given.keys()]).to.deep.equal(Object.keys(asked));
      const filled = (text: string): string =>
        text.replace(/\$\{__dirname\}/, at).replace(/\$\{user_config\.(\w+)\}/, (_, name) => given.get(name) ?? '');
      const env = Object.fromEntries(
        Object.entries<string>(server.mcp_config.env).map(([name, text]) => [name, filled(text)]),
      );
      const args = (server.mcp_config.args as string[]).map(filled);
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { HOME: at, ...env } }));
      const listed = (await client.listTools()).tools.map(({ name }) => name);
      expect(tools.map(({ name }: { name: string }) => name)).to.have.members(listed);
      expect(client.getServerVersion()).to.include({ version });
    } finally {
      await client.close();
      await node.stop();
    }
  });

  it('include skills in the format of Agent Skills, which name only tools that the node has', () => {
    expect(SKILLS).to.have.members(['remember-well', 'look-after-the-memory']);
    const known = new Set(CORE_TOOLS.map(({ name }) => name));
    for (const skill of SKILLS) {
      const [, head = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(textOf(skill)) ?? [];
      const { name, description, license, compatibility, ...more } = parseYaml(head);
      expect([name, license, more]).to.deep.equal([skill, 'Apache-2.0', {}]);
      expect(name).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(description.length, 'description').to.be.within(1, 1_024);
      expect(compatibility.length, 'compatibility').to.be.within(1, 500);
      expect(body.split('\n').length, 'lines').to.be.below(500);
      const needed = /with the tools (.+)\.$/.exec(compatibility)?.[1]?.split(/, | and /) ?? [];
      expect(needed).to.have.length.above(2);
      for (const tool of needed) {
        expect(known, tool).to.include(tool);
        expect(body, tool).to.contain(`\`${tool}\``);
      }
    }
  });

  it('hold the skills, the hooks and the server of the plugin for Claude Code in one archive', () => {
    const files = unzipSync(readFileSync(made('.zip')));
    expect(Object.keys(files)).to.have.members([
      '.claude-plugin/plugin.json',
      'README.md',
      'hooks/hooks.json',
      ...SKILLS.map((skill) => `skills/${skill}/SKILL.md`),
    ]);
  });

  it('include a module for OpenCode that stands alone', async () => {
    const module = await import(pathToFileURL(made('.js')).href);
    expect(Object.keys(module)).to.deep.equal(['default']);
    expect(module.default).to.include.keys('id', 'server', 'setup');
  });

  const claude = join(APART, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude');
  if (!existsSync(claude)) {
    it('are not shown to Claude Code if it is not installed', () => {
      console.log('      npm ci --prefix test/listings --ignore-scripts, on Linux with an x64 processor');
    });
    return;
  }

  it('pass the check of Claude Code for plugins and marketplaces', async () => {
    for (const place of [AGENTS, join(ROOT, '.claude-plugin/marketplace.json')]) {
      const env = { PATH: process.env['PATH'], HOME: folder };
      const { stdout } = await runFile(claude, ['plugin', 'validate', '--strict', place], { env, cwd: folder });
      expect(stdout, place).to.contain('Validation passed');
    }
  });
});
