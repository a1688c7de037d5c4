import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import { LOAD_LIMIT_MS } from '../../config/import-third-party.ts';
import { loadThirdPartyPlugin } from '../../config/load-third-party-plugin.ts';
import { resolveModule } from '../../config/resolve-module.ts';
import type { BootProblem } from '../../kernel/problems/boot-problem.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { checkReplies } from '../kit/check-replies.ts';
import { rejection } from '../kit/rejection.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const source = (name = 'acme', more = ''): string =>
  `{ name: ${JSON.stringify(name)}, version: '1.0.0', kernelApi: 1, setup() {} ${more} }`;
const asDefault = (name?: string): string => `const plugin = ${source(name)}; export { plugin as default };`;

const withFiles = <T>(
  files: Readonly<Record<string, string | object>>,
  work: (folder: string) => Promise<T>,
): Promise<T> =>
  inTemporaryFolder(async (folder) => {
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return work(folder);
  });

const load = async (folder: string, from: string, name = 'acme') => {
  const problems: BootProblem[] = [];
  const plugin = await loadThirdPartyPlugin({ name, from, folder }, problems);
  return { plugin, problems, text: problems.map(({ message, hint }) => `${message} / ${hint ?? ''}`).join() };
};

describe('a plugin of a third party', () => {
  const places: Readonly<Record<string, [files: Record<string, string | object>, from: string]>> = {
    'a file': [{ 'acme.mjs': asDefault() }, './acme.mjs'],
    'a file in the folder above': [{ 'acme.mjs': asDefault(), 'deep/x': '' }, './deep/../acme.mjs'],
    'a folder with a main file': [
      { 'acme/package.json': { type: 'module', main: 'lib/a.js' }, 'acme/lib/a.js': asDefault() },
      './acme',
    ],
    'a folder without a manifest': [{ 'acme/index.mjs': asDefault() }, './acme'],
    'a package': [
      { 'node_modules/acme/package.json': { type: 'module', main: './a.js' }, 'node_modules/acme/a.js': asDefault() },
      'acme',
    ],
    'a package that can only be imported': [
      {
        'node_modules/@acme/p/package.json': { exports: { '.': { require: './no.cjs', import: './a.mjs' } } },
        'node_modules/@acme/p/a.mjs': asDefault(),
      },
      '@acme/p',
    ],
    'a part of a package': [
      {
        'node_modules/@acme/p/package.json': { exports: { './plugin': { node: { default: './a.mjs' } } } },
        'node_modules/@acme/p/a.mjs': asDefault(),
      },
      '@acme/p/plugin',
    ],
    'a package with one entry': [
      { 'node_modules/acme/package.json': { exports: './a.mjs' }, 'node_modules/acme/a.mjs': asDefault() },
      'acme',
    ],
    'a CommonJS module': [{ 'acme.cjs': `module.exports = ${source()};` }, './acme.cjs'],
  };
  for (const [what, [files, from]] of Object.entries(places)) {
    it(`is found as ${what}`, () =>
      withFiles(files, async (folder) => {
        const { plugin, text } = await load(folder, from);
        expect(text).to.equal('');
        expect(plugin?.name).to.equal('acme');
      }));
  }

  it('is found by an absolute path and by a file URL', () =>
    withFiles({ 'acme.mjs': asDefault() }, async (folder) => {
      const file = join(folder, 'acme.mjs');
      for (const from of [file, pathToFileURL(file).href])
        expect((await load('/', from)).plugin?.name).to.equal('acme');
    }));

  it('is found in the packages of a parent folder', () =>
    withFiles({ 'node_modules/acme/index.mjs': asDefault(), 'a/b/x': '' }, async (folder) => {
      expect(resolveModule('acme', join(folder, 'a', 'b'))).to.equal(join(folder, 'node_modules/acme/index.mjs'));
    }));

  it('is found beside the node when the folder has no packages', () => {
    expect(resolveModule('ajv', '/')).to.match(/node_modules.ajv/);
  });

  it('may be exported under any name, or under two', () =>
    withFiles(
      { 'a.mjs': `export const one = ${source()}; export { one as default }; export const other = 1;` },
      async (folder) => {
        expect((await load(folder, './a.mjs')).plugin?.name).to.equal('acme');
      },
    ));

  it('is selected by its name from a module with several plugins', () =>
    withFiles(
      { 'a.mjs': `export const one = ${source('one')}; export const two = ${source('two')};` },
      async (folder) => {
        expect((await load(folder, './a.mjs', 'two')).plugin?.name).to.equal('two');
        expect((await load(folder, './a.mjs', 'three')).text).to.include('exports "one", "two", not "three"');
      },
    ));

  it('is reported as missing, with the folders that were searched', () =>
    withFiles({ 'node_modules/closed/package.json': { exports: { './x': './x.js' } } }, async (folder) => {
      for (const from of ['./none.js', 'no-such-package', '@acme/none', 'closed', '.', '..', '@', '']) {
        const { plugin, text } = await load(folder, from);
        expect(plugin, from).to.equal(undefined);
        expect(text).to.include('plugins.acme.from: there is no module').and.include(folder);
      }
    }));

  it('is refused when its module fails, exports no plugin, or has another name than its key', () =>
    withFiles(
      {
        'fails.mjs': 'throw new Error("at import")',
        'broken.mjs': 'export {',
        'none.mjs': 'export const x = { name: "x" }',
        'other.mjs': asDefault('other'),
        'lacking.mjs': "import 'fact-memory-node/plugin';",
      },
      async (folder) => {
        expect((await load(folder, './fails.mjs')).text).to.include('cannot be imported: at import');
        expect((await load(folder, './broken.mjs')).text)
          .to.include('cannot be imported')
          .and.match(/"node \S*broken\.mjs" shows the line/);
        expect((await load(folder, './lacking.mjs')).text).to.include('install the package fact-memory-node');
        expect((await load(folder, './none.mjs')).text).to.include('the module exports no plugin');
        expect((await load(folder, './other.mjs')).text)
          .to.include('exports "other", not "acme"')
          .and.include('put it under plugins.other');
      },
    ));

  it('runs in a node from its configuration file, with its settings and variables', () =>
    withFiles(
      {
        'node.json': { plugins: { acme: { from: './acme.mjs', greeting: 'hello' } } },
        'acme.mjs': `export const acme = ${source(
          'acme',
          `, config: { json: { type: 'object', properties: {
              greeting: { type: 'string' }, times: { type: 'integer', default: 1, env: 'ACME_TIMES' } } } },
            setup({ config, route }) {
              route({ method: 'GET', path: '/v1/acme', summary: 'greets', access: 'open',
                answers: { 200: { json: { type: 'object', additionalProperties: true } } },
                handle: () => ({ status: 200, body: config }) });
            }`,
        )};`,
      },
      async (folder) => {
        const node = await createNode({
          configFile: join(folder, 'node.json'),
          inspectReplies: checkReplies,
          env: { SVC_DB_PATH: join(folder, 'node.db'), SVC_PORT: '0', SVC_LOG_LEVEL: 'silent', ACME_TIMES: '3' },
        });
        const { url } = await node.start();
        const reply = await fetch(`${url}/v1/acme`);
        expect(await reply.json()).to.deep.equal({ greeting: 'hello', times: 3 });
        await node.stop();
      },
    ));

  it('is refused when its module never ends loading', () =>
    withFiles({ 'acme.mjs': `await new Promise(() => {}); ${asDefault()}` }, async (folder) => {
      const clock = createManualClock();
      const problems: BootProblem[] = [];
      const loading = loadThirdPartyPlugin({ name: 'acme', from: './acme.mjs', folder }, problems, clock);
      await clock.advance(LOAD_LIMIT_MS);
      expect(await loading).to.equal(undefined);
      expect(problems.map(({ message }) => message)).to.deep.equal([
        'plugins.acme.from: the module "./acme.mjs" cannot be imported: its top level has not ended within 30 s',
      ]);
      expect(problems[0]?.hint).to.include('onStart');
    }));

  it('stops the start with all its problems', () =>
    withFiles(
      {
        'node.json': { plugins: { acme: { from: './acme.mjs', greeting: 5 }, gone: { from: './gone.mjs' } } },
        'acme.mjs': `export const acme = { name: 'acme', version: '1.0.0', kernelApi: 2, setup() {},
          requires: { queue: { id: 'mail.queue' } },
          config: { json: { type: 'object', properties: { greeting: { type: 'string' } } } } };`,
      },
      async (folder) => {
        const error = await rejection(createNode({ configFile: join(folder, 'node.json'), env: {} }));
        expect(error.message).to.include('acme is written for version 2 of the kernel interface');
        expect(error.message).to.include('acme requires mail.queue');
        expect(error.message).to.include('plugins.acme.greeting accepts text');
        expect(error.message).to.include('plugins.gone.from: there is no module');
      },
    ));
});
