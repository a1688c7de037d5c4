import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Workplace } from './spawned-program.ts';

/** Limits for all modules, those of dependencies included. From unbundled files these starts load 517 and 1,505. */
const VERSION_MODULES = 150;
const COMMAND_MODULES = 320;

/** The file that V8 writes for each thread of a process: the scripts that it ran. */
interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

describe('a start of the program', () => {
  let place: Workplace;
  before(() => {
    place = new Workplace();
  });
  after(() => place.dispose());

  /** Runs the command, and returns the files that it loaded as modules. */
  const modulesOf = async (name: string, argv: readonly string[]): Promise<string[]> => {
    const folder = place.path(name);
    const { exitCode, stderr } = await place.runApart(argv, { NODE_V8_COVERAGE: folder });
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    const scripts = readdirSync(folder).flatMap(
      (file) => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage).result,
    );
    return [...new Set(scripts.map(({ url }) => url).filter((url) => url.startsWith('file:')))];
  };

  it('loads few modules to print the version', async () => {
    expect((await modulesOf('version', ['--version'])).length).to.be.within(1, VERSION_MODULES);
  });

  for (const command of ['hook', 'mcp']) {
    it(`loads few modules for the command ${command}`, async () => {
      const modules = await modulesOf(command, [command, '--help']);
      expect(modules.length).to.be.within(1, COMMAND_MODULES);
      expect(modules.filter((url) => /node_modules\/(jose|cli-progress|fast-glob|koa|knex|pg)\//.test(url))).to.be
        .empty;
    });
  }
});
