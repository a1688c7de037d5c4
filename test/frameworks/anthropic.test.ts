import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { FactClient } from '../../client/client.ts';
import { MemoryFiles } from '../../client/frameworks/anthropic.ts';
import { clientOf } from '../client/loopback-fetch.ts';
import { RUNS } from '../kit/property-runs.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { frameworkPackage } from './framework-package.ts';

type Handlers = Pick<MemoryFiles, 'view' | 'create' | 'str_replace' | 'insert' | 'delete' | 'rename'>;
interface Command {
  readonly command: keyof Handlers;
}
interface Tool {
  readonly name: string;
  run(command: Command): Promise<string>;
}

const files = frameworkPackage<{
  BetaLocalFilesystemMemoryTool: { init(folder: string): Promise<Handlers> };
  betaMemoryTool(handlers: Handlers): Tool;
}>('@anthropic-ai/sdk/tools/memory/node');
const SOURCE = 'agent:planner';

const path = fc
  .constantFrom(
    ...[
      '',
      '/',
      '/a.md',
      '/A.md',
      '/sub',
      '/sub/b b.txt',
      '/sub/./b b.txt',
      '/sub/deep/c',
      '/sub/deep/er/d',
      '/.hidden',
    ],
    ...['/node_modules/x', '/sub/../a.md', '/../etc', 'x'].map((end) => end),
  )
  .map((end) => `/memories${end}`);
const line = fc.constantFrom('one', 'two', 'one two', '', 'zwölf');
const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'));
const at = fc.integer({ min: -1, max: 6 });
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    command: fc.constant('view' as const),
    path,
    view_range: fc.option(fc.tuple(at, at), { nil: undefined }),
  }),
  fc.record({ command: fc.constant('create' as const), path, file_text: text }),
  fc.record({ command: fc.constant('create' as const), path, file_text: text }),
  fc.record({ command: fc.constant('str_replace' as const), path, old_str: line, new_str: line }),
  fc.record({ command: fc.constant('insert' as const), path, insert_line: at, insert_text: text }),
  fc.record({ command: fc.constant('delete' as const), path }),
  fc.record({ command: fc.constant('rename' as const), old_path: path, new_path: path }),
);

/** Returns the text of an answer or error, without sizes of folders, which differ between file systems. */
const answerOf = async (tool: Tool, one: Command): Promise<string> => {
  try {
    const said = await tool.run(one);
    return said.startsWith("Here're the files") ? said.replaceAll(/^\S+\t(?=.*\/$|\/memories\S*$)/gm, '') : said;
  } catch (error) {
    return `Error: ${(error as Error).message}`;
  }
};
/** The file system itself refuses some paths, in its own words. */
const OF_THE_SYSTEM = /^Error: E[A-Z]+:/;

if (files !== undefined) {
  const { betaMemoryTool, BetaLocalFilesystemMemoryTool } = files;

  describe('the files of the Anthropic memory tool', () => {
    let node: TestNode;
    let client: FactClient;
    let place: string;
    let gardens = 0;

    before(async () => {
      place = mkdtempSync(join(tmpdir(), 'files-'));
      node = await startTestNode({ plugins: ['facts', 'conflicts', 'keys', 'gardens'] });
      const permissions = ['read', 'write', 'admin'];
      client = clientOf(node, { key: await node.addKey({ permissions, entityUri: SOURCE }) });
    });
    after(async () => {
      await node.stop();
      rmSync(place, { recursive: true });
    });

    const emptyFiles = async (): Promise<MemoryFiles> => {
      gardens += 1;
      const garden = `g${gardens}`;
      await client.gardens.create({ slug: garden, name: garden, scope: 'company' });
      return new MemoryFiles({ client, source: SOURCE, garden });
    };

    it('return the same as local files, for every sequence of calls', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
          const ours = betaMemoryTool(await emptyFiles());
          const folder = mkdtempSync(join(place, 'run-'));
          const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
          const said: string[] = [];
          for (const one of [...commands, { command: 'view' as const, path: '/memories' }]) {
            const wanted = await answerOf(theirs, one);
            const got = await answerOf(ours, one);
            said.push(`${JSON.stringify(one)} ${got}`);
            if (OF_THE_SYSTEM.test(wanted)) expect(got, said.join('\n')).to.match(/^Error: /);
            else expect(got, said.join('\n')).to.equal(wanted);
          }
        }),
        { numRuns: Math.ceil(RUNS / 2) },
      );
    });

    it('show every value of a contradicted file with its source, and report which facts an edit ended', async () => {
      const memory = new MemoryFiles({ client, source: SOURCE });
      const path = '/memories/Team/roles.md';
      await memory.create({ path, file_text: 'alice: CEO' });
      const [fact] = await client.query({ entity: 'file:/memories/%54eam/roles.md' }).take(1);
      expect(fact).to.deep.include({ entity: 'file:/memories/%54eam/roles.md', source: SOURCE });
      await node.clock.advance(1_000);
      const value = { type: 'text' as const, v: 'alice: CTO' };
      await client.assert({ entity: fact?.entity ?? '', relation: 'file:text', value, source: 'agent:other' });

      const view = await memory.view({ path });
      expect(view).to.contain('1\talice: CTO').and.to.contain('1\talice: CEO');
      expect(view).to.contain('This file is contradicted. Above is the content of agent:other');
      const renamed = memory.rename({ old_path: path, new_path: '/memories/roles.md' });
      expect(await rejection(renamed)).to.be.instanceOf(Error);
      const edited = await memory.str_replace({ path, old_str: 'CTO', new_str: 'CFO' });
      expect(edited).to.match(/This ended the contradicting content of agent:planner\.$/);
      expect(await memory.view({ path })).to.match(/:\n {5}1\talice: CFO$/);
    });

    it('keep earlier content in the history, which a renamed file continues', async () => {
      const memory = await emptyFiles();
      await memory.create({ path: '/memories/a.md', file_text: 'first' });
      await memory.rename({ old_path: '/memories/a.md', new_path: '/memories/b.md' });
      const garden_id = `g${gardens}`;
      const [moved] = await client.query({ entity: 'file:/memories/b.md', garden_id }).take(1);
      const { nodes } = await client.provenance(moved?.id ?? '');
      expect(nodes.map(({ entity }) => entity)).to.include('file:/memories/a.md');
    });
  });
}
