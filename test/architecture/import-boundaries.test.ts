import { posix } from 'node:path';
import { expect } from 'chai';
import { importsOf, readSources, type SourceFile } from './source-files.ts';

/** Packages that only one folder may import, so that everything about a vendor stays in its adapter. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  kernel: ['ajv', 'ajv/dist/2020.js', 'awilix/browser', 'canonicalize', '@noble/ed25519'],
  'adapters/sql': ['knex'],
  'adapters/sqlite': ['knex', '@photostructure/sqlite'],
  'adapters/postgres': ['knex', 'pg', 'pg-copy-streams'],
  'adapters/koa': ['koa', '@koa/router', '@koa/cors'],
  'adapters/log': ['pino'],
  'adapters/s3': ['@aws-sdk/client-s3'],
  'adapters/cli': ['commander', 'cli-progress'],
  'plugins/mcp': ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
  'plugins/connect': ['jsonc-parser', 'smol-toml'],
  'plugins/importers': ['@streamparser/json', 'csv-parse', 'yaml'],
  'plugins/metrics': ['prom-client'],
  'plugins/oidc': ['jose'],
  'plugins/tracing': ['@opentelemetry/api'],
  'plugins/subscriptions': ['standardwebhooks'],
  'plugins/upkeep': ['croner'],
  'adapters/class-plugins': ['tsyringe', 'reflect-metadata'],
};

/** Frameworks whose types the adapters of the client name. Programs that use no adapter need none of them. */
const FRAMEWORK_TYPES = ['@langchain/langgraph-checkpoint', '@openai/agents-core'];

/** The browser application, which accesses the node only through the client. */
const APPLICATION = 'plugins/console/app/';
const OF_THE_APPLICATION = /^(preact(\/hooks)?|preact-iso\/router|uplot|cytoscape|@tanstack\/virtual-core)$/;
/** The console prints this import line for programs that use the client. */
const SHOWN = 'fact-memory-node/client';

/** The modules through which plugins and the command line use the kernel. The first two are package entries. */
const DOORS = ['kernel/plugin-api.ts', 'kernel/command-api.ts', 'kernel/internal-api.ts'];
/** The module of the kernel for plugin threads. It imports nothing else of the kernel. */
const THREAD_DOOR = 'kernel/thread-api.ts';

/** Returns whether a file may import another one, for folders whose relative imports are limited. */
const mayReach = (from: string, to: string): boolean => {
  const [top, second] = from.split('/');
  if (from.startsWith(APPLICATION)) return to.startsWith(APPLICATION) || to === 'client/client.ts';
  if (to.startsWith(APPLICATION)) return false;
  if (top === 'test' || top === 'bench') return true;
  // The client is a separate program: it runs without the node, and accesses it only over HTTP.
  if (top === 'client') return to.startsWith('client/');
  if (top === 'config') return !/^(client|test|bench)\//.test(to);
  if (top === 'ports') return to.startsWith('ports/');
  if (from === THREAD_DOOR) return to.startsWith('ports/');
  if (top === 'kernel') return /^(kernel|ports)\//.test(to);
  if (top === 'adapters') {
    if ((second === 'class-plugins' || second === 'cli') && DOORS.includes(to)) return true;
    return to.startsWith('ports/') || /^adapters\/(sql|files)\//.test(to) || to.startsWith(`adapters/${second}/`);
  }
  if (DOORS.includes(to) || to === THREAD_DOOR || to.startsWith(`plugins/${second}/`)) return true;
  const foreign = /^plugins\/([^/]+)\/([^/]+)\.ts$/.exec(to);
  return foreign !== null && foreign[2] === `${foreign[1]}-api`;
};

const packageAllowed = (file: SourceFile, specifier: string, typeOnly: boolean): boolean => {
  const [top, second] = file.path.split('/');
  if (file.path.startsWith(APPLICATION)) return OF_THE_APPLICATION.test(specifier) || specifier === SHOWN;
  if (top === 'test' || top === 'bench') return true;
  if (specifier.startsWith('node:')) return top !== 'client';
  if (file.path.startsWith('client/frameworks/')) return typeOnly && FRAMEWORK_TYPES.includes(specifier);
  if (specifier === 'knex' && typeOnly && (top === 'ports' || top === 'kernel' || top === 'plugins')) return true;
  return (PACKAGES[`${top}/${second}`] ?? PACKAGES[top ?? ''] ?? []).includes(specifier);
};

const violationsOf = (file: SourceFile): string[] => {
  return importsOf(file.text).flatMap(({ specifier, typeOnly }) => {
    if (!specifier.startsWith('.')) {
      return packageAllowed(file, specifier, typeOnly) ? [] : [`${file.path} imports the package ${specifier}`];
    }
    const target = posix.normalize(posix.join(posix.dirname(file.path), specifier));
    return mayReach(file.path, target) ? [] : [`${file.path} imports ${target}`];
  });
};

describe('import boundaries', () => {
  let files: SourceFile[];
  before(async () => {
    files = await readSources();
  });

  it('cover the whole program', () => {
    for (const folder of ['ports', 'kernel', 'adapters', 'plugins', 'config', 'client', 'test', 'bench']) {
      expect(files.filter(({ path }) => path.startsWith(`${folder}/`)).length, folder).to.be.above(3);
    }
    expect(files.reduce((sum, { text }) => sum + importsOf(text).length, 0)).to.be.above(files.length);
  });

  it('hold for every import of every file', () => {
    expect(files.flatMap(violationsOf)).to.deep.equal([]);
  });

  it('fail this test if they are broken', () => {
    const broken: SourceFile[] = [
      { path: 'ports/clock.ts', text: "import { x } from '../kernel/plugin-api.ts';" },
      { path: 'kernel/a.ts', text: "import Koa from 'koa';" },
      { path: 'kernel/a.ts', text: "const m = await import('../adapters/koa/koa-transport.ts');" },
      { path: 'plugins/cards/a.ts', text: "import { f } from '../facts/idempotency.ts';" },
      { path: 'plugins/cards/a.ts', text: "import knex from 'knex';" },
      { path: 'plugins/cards/a.ts', text: "import { SCOPES } from '../../ports/ports.ts';" },
      { path: 'plugins/cards/a.ts', text: "import { HookBus } from '../../kernel/hooks/hook-bus.ts';" },
      { path: 'kernel/thread-api.ts', text: "export * from './plugin-api.ts';" },
      { path: 'adapters/koa/a.ts', text: "import { k } from '../../kernel/plugin-api.ts';" },
      { path: 'adapters/koa/a.ts', text: "import './../sqlite/sqlite-dialect.ts';" },
      { path: 'client/a.ts', text: "import { SCOPES } from '../ports/ports.ts';" },
      { path: 'client/a.ts', text: "import { createHash } from 'node:crypto';" },
      { path: 'client/a.ts', text: "import canonicalize from 'canonicalize';" },
      { path: 'client/frameworks/a.ts', text: "import { BaseStore } from '@langchain/langgraph-checkpoint';" },
      { path: 'config/a.ts', text: "import { FactClient } from '../client/client.ts';" },
      { path: 'plugins/cards/a.ts', text: "import { FactClient } from '../../client/client.ts';" },
      { path: 'plugins/console/app/a.tsx', text: "import { x } from '../console-routes.ts';" },
      { path: 'plugins/console/a.ts', text: "import { x } from './app/main.tsx';" },
      { path: 'plugins/console/app/a.ts', text: "import { readFile } from 'node:fs';" },
    ];
    expect(broken.flatMap(violationsOf)).to.have.length(broken.length);
  });
});
