import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createNode, type Node } from '../../config/create-node.ts';
import { Embedder, type OutboundReply } from '../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { describeEmbedder } from '../contract/embedder-contract.ts';
import { describePlugin } from '../contract/plugin-contract.ts';
import { createLoopbackNetwork } from '../fakes/loopback-network.ts';
import { checkReplies } from '../kit/check-replies.ts';
import { startTestNode } from '../kit/start-test-node.ts';
import { acmeBilling } from './class-style-billing.ts';

const KEY = 'k'.repeat(40);
const EMBEDDER = join(projectRoot(), 'examples/embedder/acme-embedder.mjs');
const { acmeEmbedder } = (await import(EMBEDDER)) as { readonly acmeEmbedder: AnyPlugin };

/**
 * Installs plugins as an operator does: in a new folder with this package, the plugin package, and a configuration file
 * that names the plugin.
 */
describe('plugins that are installed from outside', () => {
  let folder: string;
  let node: Node | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'operator-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(projectRoot(), join(folder, 'node_modules', 'fact-memory-node'), 'dir');
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  const installPackage = async (name: string, file: string) => {
    const target = join(folder, 'node_modules', name);
    await mkdir(target, { recursive: true });
    await cp(file, join(target, 'plugin.js'));
    const manifest = { name, version: '1.0.0', type: 'module', exports: './plugin.js' };
    await writeFile(join(target, 'package.json'), JSON.stringify(manifest));
  };

  const start = async (plugins: Record<string, unknown>, env: Record<string, string> = {}) => {
    const configFile = join(folder, 'node.json');
    const adapters = { store: { use: 'sqlite', path: join(folder, 'node.db') }, transport: { use: 'koa', port: 0 } };
    await writeFile(configFile, JSON.stringify({ node: { logLevel: 'error' }, adapters, plugins }));
    node = await createNode({ configFile, env: { SVC_BOOTSTRAP_KEY: KEY, ...env }, inspectReplies: checkReplies });
    return node.start();
  };

  it('may be a class that replaces the destination of billing events', async () => {
    await installPackage('@acme/svc-billing', fileURLToPath(new URL('./class-style-billing.js', import.meta.url)));
    const file = join(folder, 'invoices.ndjson');
    const { url } = await start({ 'acme-billing': { from: '@acme/svc-billing', file, centsPerFact: 3 } });
    const reply = await fetch(`${url}/v1/facts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        entity: 'user:noor',
        relation: 'memory:role',
        value: { type: 'string', v: 'archivist' },
        source: 'agent:w',
      }),
    });
    const fact = (await reply.json()) as { id: string };
    await node?.stop();
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.deep.include({ customer: 'agent:admin', fact: fact.id, cents: 3 });
  });

  it('may provide a port, with settings from their own variable', async () => {
    await installPackage('@acme/svc-embedder', EMBEDDER);
    const service = await embeddingService();
    try {
      const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}/embed`;
      const settings = { 'acme-embedder': { from: '@acme/svc-embedder', dimensions: 3 } };
      await start(settings, { ACME_EMBED_URL: address });
      const vectors = await node?.kernel.get(Embedder).embed(['one', 'three'], 'document');
      expect(vectors?.map((vector) => [...vector].map((component) => Number(component.toFixed(3))))).to.deep.equal([
        [1, 0, 0],
        [1, 0, 0],
      ]);
    } finally {
      service.close();
    }
  });

  it('stop the start with their name and a hint when they are missing', async () => {
    const failure = await start({ 'acme-billing': { from: '@acme/missing' } }).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure?.message).to.include('plugins.acme-billing.from').and.to.include('@acme/missing');
  });
});

describePlugin({ plugin: acmeEmbedder, settings: { url: 'http://127.0.0.1:9/embed' } });
describePlugin({ plugin: acmeBilling, settings: { file: join(tmpdir(), 'never-written.ndjson') } });

describeEmbedder('the embedder of Acme', async () => {
  const network = createLoopbackNetwork();
  const url = 'http://embed.example';
  const listener = await network.transport(url).serve({
    endpoints: [
      { method: 'POST', path: '/embed', handle: async (request) => vectorsReply(await request.body(MAX_BODY)) },
    ],
    unmatched: async () => ({ status: 404, headers: {} }),
    refused: () => ({ status: 400, headers: {} }),
  });
  const settings = { 'acme-embedder': { url: `${url}/embed`, dimensions: 64 } };
  const node = await startTestNode({ plugins: [acmeEmbedder], settings, network });
  return {
    embedder: node.kernel.get(Embedder),
    stop: async () => {
      await node.stop();
      await listener.close(0);
    },
  };
});

const MAX_BODY = 16 * 1024 * 1024;

/** Embeds texts by counting characters, which is enough for the embedder contract. */
const vectorsReply = (body: Uint8Array): OutboundReply => {
  const { texts, dimensions } = JSON.parse(Buffer.from(body).toString()) as { texts: string[]; dimensions: number };
  const vectors = texts.map((text) => {
    const vector = new Array<number>(dimensions).fill(0);
    for (const character of text) {
      const at = (character.codePointAt(0) ?? 0) % dimensions;
      vector[at] = (vector[at] ?? 0) + 1;
    }
    return vector;
  });
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ vectors }) };
};

const embeddingService = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { texts, dimensions } = JSON.parse(body) as { texts: string[]; dimensions: number };
        const vectors = texts.map(({ length }) =>
          Array.from({ length: dimensions }, (_, at) => (at === 0 ? length : 0)),
        );
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ vectors }));
      });
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
