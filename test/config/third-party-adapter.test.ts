import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import { loadNodeConfig } from '../../config/node-config.ts';
import { createMemoryLogger, type LogLine } from '../fakes/memory-logger.ts';
import { checkReplies } from '../kit/check-replies.ts';
import { rejection } from '../kit/rejection.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Creates a folder like that of an operator: a configuration, the installed package, and third-party modules. */
const withModules = <T>(
  files: Readonly<Record<string, string | object>>,
  work: (folder: string, configFile: string) => Promise<T>,
): Promise<T> =>
  inTemporaryFolder(async (folder) => {
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/fact-memory-node'));
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return work(folder, join(folder, 'node.json'));
  });

const problemsFor = (adapters: object, files: Readonly<Record<string, string>> = {}): Promise<string[]> =>
  withModules({ ...files, 'node.json': { adapters } }, async (_folder, configFile) => {
    const { problems } = await loadNodeConfig({ configFile, env: {} });
    return problems.map(({ message, hint }) => (hint === undefined ? message : `${message} / ${hint}`));
  });

const adapter = (port: string, more: string): string => `
  import * as ports from 'fact-memory-node/ports';
  export const mine = { port: ports.${port}, name: 'mine', adapterApi: 1, ${more} };`;

describe('an adapter of a third party', () => {
  it('stores the facts of a node whose configuration names its package', () =>
    withModules({}, async (folder, configFile) => {
      await cp(join(ROOT, 'examples/store-adapter'), join(folder, 'node_modules/acme-slow-store'), {
        recursive: true,
      });
      const path = join(folder, 'facts.db');
      const store = { from: 'acme-slow-store', path };
      await writeFile(configFile, JSON.stringify({ adapters: { store, transport: { port: 0 } } }));
      const lines: LogLine[] = [];
      const env = { ACME_SLOW_MS: '0', SVC_AUTH_REQUIRED: 'false' };
      const node = await createNode({
        configFile,
        inspectReplies: checkReplies,
        env,
        adapters: { log: createMemoryLogger(lines) },
      });
      try {
        expect(node.config.report.find(({ variable }) => variable === 'ACME_SLOW_MS')).to.deep.include({ value: 0 });
        const { url } = await node.start();
        const fact = {
          entity: 'user:alice',
          relation: 'memory:role',
          value: { type: 'string', v: 'CEO' },
          source: 'agent:test',
          confidence: 1,
          scope: 'company',
        };
        const headers = { 'Content-Type': 'application/json' };
        const reply = await fetch(`${url}/v1/facts`, { method: 'POST', headers, body: JSON.stringify(fact) });
        expect(reply.status).to.equal(201);
      } finally {
        await node.stop();
      }
      expect(lines.some(({ message }) => /^a write took \d+ ms$/.test(message))).to.equal(true);
    }));

  it('checks credentials before the keys of the node', () =>
    withModules(
      {
        'door.mjs': adapter(
          'Authorizer',
          `settings: ports.schema({ type: 'object', required: ['word'], properties: { word: { type: 'string' } } }),
           create: ({ word }, { inner }) => ({
             authenticate: (token) => token === word
               ? { kind: 'anonymous', entityUri: 'door:open', permissions: new Set(['read']),
                   allowedScopes: new Set(['public']), tenantId: 'default', keyId: null, oidcSub: null }
               : inner.authenticate(token),
           })`,
        ),
      },
      async (folder, configFile) => {
        const authorizer = { from: './door.mjs', word: 'sesame' };
        const adapters = { authorizer, store: { path: join(folder, 'svc.db') }, transport: { port: 0 } };
        await writeFile(configFile, JSON.stringify({ adapters }));
        const node = await createNode({
          configFile,
          inspectReplies: checkReplies,
          env: {},
          adapters: { log: createMemoryLogger([]) },
        });
        try {
          const { url } = await node.start();
          const ask = async (token: string): Promise<number> =>
            (await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
          expect([await ask('sesame'), await ask('thyme')]).to.deep.equal([200, 401]);
        } finally {
          await node.stop();
        }
      },
    ));

  it('that embeds texts is closed with its node, and so is the previous embedder', () =>
    withModules(
      {
        'vectors.mjs': adapter(
          'Embedder',
          `settings: ports.schema({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }),
           create: ({ id }, { report }) => ({
             id, dimensions: 8, similarityFloor: 0, embed: async () => [], close: async () => report('closed ' + id),
           })`,
        ),
      },
      async (folder, configFile) => {
        const embedder = { from: './vectors.mjs', id: 'now' };
        const previousEmbedder = { from: './vectors.mjs', id: 'before' };
        const store = { path: join(folder, 'svc.db') };
        await writeFile(
          configFile,
          JSON.stringify({ adapters: { store, transport: { port: 0 }, embedder, previousEmbedder } }),
        );
        const lines: LogLine[] = [];
        const node = await createNode({ configFile, env: {}, adapters: { log: createMemoryLogger(lines) } });
        await node.prepare();
        const closed = () => lines.map(({ message }) => message).filter((message) => message.startsWith('closed '));
        expect(closed()).to.deep.equal([]);
        await node.stop();
        expect(closed().sort()).to.deep.equal(['closed before', 'closed now']);
      },
    ));

  it('is refused if it checks credentials while no request needs one', () =>
    withModules(
      { 'door.mjs': adapter('Authorizer', 'create: () => ({ authenticate: () => null })') },
      async (_folder, configFile) => {
        await writeFile(configFile, JSON.stringify({ adapters: { authorizer: { from: './door.mjs' } } }));
        const refused = await rejection(createNode({ configFile, env: { SVC_AUTH_REQUIRED: 'false' } }));
        expect(refused.message).to.match(/adapters\.authorizer is set, but no request needs a credential/);
      },
    ));

  it('that returns no principal, or fails, admits no caller', () =>
    withModules(
      {
        'door.mjs': adapter(
          'Authorizer',
          `create: () => ({ authenticate: (token) => { if (token === 'x') throw new Error('down'); return null; } })`,
        ),
      },
      async (folder, configFile) => {
        const store = { path: join(folder, 'svc.db') };
        const adapters = { authorizer: { from: './door.mjs' }, store, transport: { port: 0 } };
        await writeFile(configFile, JSON.stringify({ adapters }));
        const node = await createNode({ configFile, env: {}, adapters: { log: createMemoryLogger([]) } });
        try {
          const { url } = await node.start();
          for (const token of ['x', 'y']) {
            const { status } = await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
            expect(status, token).to.be.within(401, 500);
          }
        } finally {
          await node.stop();
        }
      },
    ));

  it('may also be a clock or an embedder, built from the context of the node', () =>
    withModules(
      {
        'clock.mjs': adapter('Clock', 'create: (_settings, { clock }) => ({ ...clock, nowMs: () => 1_000 })'),
        'words.mjs': adapter(
          'Embedder',
          `create: (_settings, { transport }) => ({ id: 'words:' + typeof transport.send, dimensions: 2,
             similarityFloor: 0, embed: async (texts) => texts.map(() => Float32Array.of(1, 0)) })`,
        ),
      },
      async (folder, configFile) => {
        const store = { path: join(folder, 'svc.db') };
        const adapters = { store, clock: { from: './clock.mjs' }, embedder: { from: './words.mjs' } };
        await writeFile(configFile, JSON.stringify({ adapters }));
        const { Clock, Embedder } = await import('../../ports/ports.ts');
        const node = await createNode({
          configFile,
          inspectReplies: checkReplies,
          env: {},
          adapters: { log: createMemoryLogger([]) },
        });
        try {
          await node.prepare();
          expect(node.kernel.get(Clock).nowMs()).to.equal(1_000);
          expect(node.kernel.get(Embedder).id).to.equal('words:function');
        } finally {
          await node.stop();
        }
      },
    ));

  const refused: Readonly<Record<string, [adapters: object, files: Record<string, string>, RegExp]>> = {
    'a module that is not there': [{ store: { from: './none.mjs' } }, {}, /^adapters.store.from: there is no module/],
    'a module that throws': [
      { clock: { from: './bad.mjs' } },
      { 'bad.mjs': 'throw new Error("no luck")' },
      /^adapters.clock.from: the module "\.\/bad.mjs" cannot be imported: no luck/,
    ],
    'a module without an adapter': [
      { transport: { from: './empty.mjs' } },
      { 'empty.mjs': 'export const x = 1;' },
      /the module exports no adapter for port.transport \/ export one, as defineTransport returns it/,
    ],
    'an adapter of another port': [
      { store: { from: './clock.mjs' } },
      { 'clock.mjs': adapter('Clock', 'create: () => ({})') },
      /the module exports no adapter for port.store/,
    ],
    'an adapter of another time': [
      { clock: { from: './old.mjs' } },
      { 'old.mjs': adapter('Clock', 'create: () => ({}), adapterApi: 0') },
      /the adapter was made for another version of this node \(adapterApi must be 1\)/,
    ],
    'a store that does not say where it is': [
      { store: { from: './lost.mjs' } },
      { 'lost.mjs': adapter('FactStore', 'create: () => ({})') },
      /the adapter lacks place\(\)/,
    ],
    'a setting that it does not have': [
      { clock: { from: './clock.mjs', speed: 2 } },
      { 'clock.mjs': adapter('Clock', 'create: () => ({})') },
      /^adapters.clock.speed is not a setting/,
    ],
    'use and from together': [
      { clock: { from: './clock.mjs', use: 'system' } },
      { 'clock.mjs': adapter('Clock', 'create: () => ({})') },
      /^adapters.clock accepts either use or from/,
    ],
    'from that is no text': [{ store: { from: 7 } }, {}, /^adapters.store.from accepts the path of a module/],
    'an authorizer of the catalog, which has none': [
      { authorizer: { use: 'keys' } },
      {},
      /^adapters.authorizer accepts "from" alone/,
    ],
  };
  for (const [what, [adapters, files, pattern]] of Object.entries(refused)) {
    it(`refuses ${what}, with the reason`, async () => {
      const problems = await problemsFor(adapters, files);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(pattern);
    });
  }
});
