import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { Workplace } from './spawned-program.ts';

/** The maximum number of modules that a command loads, dependencies included. From unbundled files it loads 1,505. */
const COMMAND_MODULES = 8;
const FOREIGN = /node_modules\//;

/** The file that V8 writes for each thread of a process: the scripts that it ran. */
interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

describe('a start of the program', () => {
  let place: Workplace;
  let served: ServedNode;
  before(async () => {
    place = new Workplace();
    served = await startServedNode();
  });
  after(async () => {
    await served.stop();
    await place.dispose();
  });

  /** Runs the command, and returns the files that it loaded as modules. */
  const modulesOf = async (argv: readonly string[], input = ''): Promise<string[]> => {
    const name = argv.join('_').replaceAll(/\W/g, '_');
    const env = { SVC_URL: served.url, SVC_API_KEY: served.adminKey, XDG_CACHE_HOME: place.path('cache') };
    const { exitCode } = await place.runApart(argv, { ...env, NODE_V8_COVERAGE: place.path(name) }, input);
    expect(exitCode, name).to.equal(0);
    const scripts = readdirSync(place.path(name)).flatMap(
      (file) => (JSON.parse(readFileSync(join(place.path(name), file), 'utf8')) as Coverage).result,
    );
    return [...new Set(scripts.map(({ url }) => url).filter((url) => url.startsWith('file:')))];
  };

  const COMMANDS: readonly (readonly string[])[] = [
    ['--version'],
    ['hook', 'prompt', '--client', 'cursor', '--timeout-ms', '60000'],
    ['assert', 'user:alice', 'memory:role', 'archivist'],
    ['recall', 'Who is the archivist?'],
    ['query', '--entity', 'user:alice'],
  ];
  for (const argv of COMMANDS) {
    it(`loads few modules for ${argv.slice(0, 2).join(' ')}, and no package`, async () => {
      const modules = await modulesOf(argv, JSON.stringify({ cwd: place.folder, prompt: 'Who is the archivist?' }));
      expect(modules.length, modules.join('\n')).to.be.within(1, COMMAND_MODULES);
      expect(modules.filter((url) => FOREIGN.test(url))).to.deep.equal([]);
    });
  }

  it('loads the package of the protocol only when the command mcp serves', async () => {
    const modules = await modulesOf(['mcp', '--help']);
    expect(modules.filter((url) => /node_modules\/(@modelcontextprotocol|koa|knex|pg|jose)\//.test(url))).to.be.empty;
  });
});
