import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { otherNode } from '../kit/other-node.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { linkFramework, type PackedPackage, packedPackage } from './packed-package.ts';
import { type StartedProgram, startProgram } from './started-program.ts';

const runFile = promisify(execFile);
const KEY = 'examples-0123456789abcdef0123456789abcdef';
const RUN_LIMIT_MS = 120_000;

/** The expected output of each program, line by line. */
const PRINTED: Readonly<Record<string, readonly string[]>> = {
  retraction: ['stored: delayed', 'facts that still hold: 0', 'events in the history: 2'],
  garden: ['the librarian sees: 1', 'a passer-by sees: 0'],
  manifest: ['write-changelog: One line for each change, in the words of users.'],
  'agent-key': ['signed by the registered key: true', 'a changed value is refused: attestation_invalid'],
  webhook: ['fact_asserted: door:front'],
};
interface FrameworkProgram {
  /** The packages that it needs beside this one. */
  readonly needs: readonly string[];
  /** The main version of Node.js that the framework needs. */
  readonly nodeVersion?: string;
  readonly lines: readonly string[];
}

const ON_FRAMEWORKS: Readonly<Record<string, FrameworkProgram>> = {
  'ai-sdk': {
    needs: ['ai'],
    nodeVersion: '22',
    lines: [
      'noted',
      '{',
      "  entity: 'user:noor',",
      "  value: 'lentil soup',",
      "  source: 'agent:assistant',",
      '  contradicted: false',
      '}',
    ],
  },
  anthropic: {
    needs: ['@anthropic-ai/sdk'],
    lines: [
      'File created successfully at: /memories/team/roles.md',
      'The memory file has been edited. Here is the snippet showing the change (with line numbers):',
      '     1\tAlice is CTO.',
      '     2\tNoor keeps the books.',
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:",
      '4K\t/memories',
      '4K\t/memories/team/',
      '35B\t/memories/team/roles.md',
      'facts about the file: 2',
    ],
  },
  langgraph: {
    needs: ['@langchain/langgraph', '@langchain/langgraph-checkpoint', '@langchain/core'],
    lines: [
      "another thread knows: { lunch: 'soup' }",
      "agent:waiter says { lunch: 'salad' }",
      "agent:planner says { lunch: 'soup' }",
    ],
  },
  'openai-agents': {
    needs: ['@openai/agents-core'],
    lines: ['items that I was given: 1', 'items that I was given: 3'],
  },
};
const PACKAGES = ['billing', 'console-screen', 'embedder', 'key-source', 'store-adapter'];

describe('the examples, from the packed package', function () {
  this.timeout(300_000);
  let packed: PackedPackage;
  let folder: string;
  const running: StartedProgram[] = [];

  /** Starts a node of the package in its own folder, with the examples beside its configuration. */
  const start = async (name: string, config: object): Promise<StartedProgram> => {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    cpSync(join(packed.installed, 'examples'), place, { recursive: true });
    writeFileSync(join(place, 'node.json'), JSON.stringify(config));
    const env = { SVC_PORT: '0', SVC_BOOTSTRAP_KEY: KEY, SVC_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const main = join(packed.folder, 'node_modules/.bin/svc');
    const started = await startProgram([process.execPath, main, '--config', 'node.json'], { folder: place, env });
    running.push(started);
    return started;
  };
  const assert = (url: string, entity: string): Promise<Response> =>
    fetch(`${url}/v1/facts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ entity, relation: 'memory:note', value: { type: 'string', v: 'x' }, source: 'agent:x' }),
    });

  before(async () => {
    packed = await packedPackage();
    folder = join(packed.folder, 'examples');
  });
  after(async () => {
    for (const one of running) await one.end('SIGKILL');
  });

  it('are all covered by this test, and listed in their README', () => {
    const folders = readdirSync(join(packed.installed, 'examples'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders).to.have.members([...Object.keys(PRINTED), ...Object.keys(ON_FRAMEWORKS), ...PACKAGES]);
    const readme = readFileSync(join(packed.installed, 'examples/README.md'), 'utf8');
    for (const name of folders) expect(readme, name).to.contain(`[${name}](${name}/`);
  });

  describe('programs', () => {
    let url: string;
    before(async () => {
      ({ url } = await start('programs', {}));
    });

    const printedBy = async (name: string, runtime = process.execPath): Promise<[lines: string[], errors: string]> => {
      const program = join(packed.installed, 'examples', name, `${name}.mjs`);
      const { stdout, stderr } = await runFile(runtime, [program], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', SVC_URL: url, SVC_API_KEY: KEY },
        timeout: RUN_LIMIT_MS,
      });
      return [stdout.trim().split('\n'), stderr];
    };

    for (const [name, lines] of Object.entries(PRINTED)) {
      it(`${name} prints the documented output`, async () => {
        expect(await printedBy(name)).to.deep.equal([lines, '']);
      });
    }

    for (const [name, { needs, lines, nodeVersion }] of Object.entries(ON_FRAMEWORKS)) {
      it(`${name} prints the documented output, where its framework is installed`, async () => {
        const runtime = nodeVersion === undefined ? process.execPath : otherNode(nodeVersion);
        if (runtime === undefined || !needs.every((one) => linkFramework(packed.folder, one))) {
          const versions = nodeVersion === undefined ? '' : `, with Node.js ${nodeVersion} in test/node-versions`;
          console.log(`      npm ci --prefix test/frameworks --ignore-scripts${versions}`);
          return;
        }
        expect(await printedBy(name, runtime)).to.deep.equal([lines, '']);
      });
    }
  });

  it('billing writes an invoice line for each fact', async () => {
    const plugins = {
      'acme-invoices': { from: './billing/acme-invoices.mjs', file: 'invoices.ndjson', centsPerFact: 3 },
    };
    const node = await start('billing', { plugins });
    const fact = (await (await assert(node.url, 'user:noor')).json()) as { id: string };
    const file = join(folder, 'billing/invoices.ndjson');
    await waitUntil('a line of an invoice', RUN_LIMIT_MS, () => existsSync(file) && readFileSync(file, 'utf8') !== '');
    await node.end('SIGTERM');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).to.deep.include({ customer: 'agent:admin', fact: fact.id, cents: 3 });
  });

  it('embedder requests the vectors of facts from a service', async () => {
    const asked: string[] = [];
    const service = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const { texts, dimensions } = JSON.parse(body) as { texts: string[]; dimensions: number };
      asked.push(...texts);
      const vectors = texts.map(({ length }) => Array.from({ length: dimensions }, (_, at) => (at === 0 ? length : 1)));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ vectors }));
    }).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => service.once('listening', resolve));
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/embed`;
      const plugins = { 'acme-embedder': { from: './embedder/acme-embedder.mjs', url, dimensions: 8 } };
      const node = await start('embedder', { plugins });
      expect((await assert(node.url, 'user:vera')).status).to.equal(201);
      await waitUntil('a text to embed', RUN_LIMIT_MS, () => asked.some((text) => text.includes('vera')));
      await node.end('SIGTERM');
    } finally {
      service.closeAllConnections();
      service.close();
    }
  });

  it('key-source requests the keys of the operator from a service', async () => {
    let asked = 0;
    const service = createServer((_request, response) => {
      asked += 1;
      response.end(JSON.stringify([Buffer.alloc(32, 7).toString('base64')]));
    }).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => service.once('listening', resolve));
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/keys`;
      const node = await start('key-source', { adapters: { keySource: { from: './key-source/acme-keys.mjs', url } } });
      expect(asked).to.be.above(0);
      await node.end('SIGTERM');
    } finally {
      service.closeAllConnections();
      service.close();
    }
  });

  it('console-screen appears in the console, with its script', async () => {
    const plugins = { console: true, 'acme-sources': { from: './console-screen/acme-sources.mjs' } };
    const node = await start('console-screen', { plugins });
    const setup = (await (await fetch(`${node.url}/console/setup.json`)).json()) as {
      screens: { title: string; script: string }[];
    };
    expect(setup.screens.map(({ title }) => title)).to.deep.equal(['Who said how much']);
    const script = await fetch(`${node.url}/console/files/${setup.screens[0]?.script}`);
    expect(await script.text()).to.contain('export const mount');
    await node.end('SIGTERM');
  });

  it('store-adapter stores the facts of a node, and logs slow writes', async () => {
    const store = { from: './store-adapter/acme-slow-store.mjs', path: 'slow/facts.db', slowMs: 0 };
    const node = await start('store-adapter', { adapters: { store } });
    expect((await assert(node.url, 'user:otto')).status).to.equal(201);
    const { exitCode, stderr } = await node.end('SIGTERM');
    expect(exitCode).to.equal(0);
    expect(stderr).to.match(/a write took \d+ ms/);
  });
});
