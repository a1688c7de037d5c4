import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type CommandResult, runInProcess } from '../../adapters/cli/run-in-process.ts';
import { Workplace } from '../../adapters/cli/spawned-program.ts';

describe('the command "new plugin"', () => {
  let place: Workplace;
  before(() => {
    place = new Workplace();
  });
  after(() => place.dispose());

  const make = (...argv: string[]): Promise<CommandResult> => place.run(['new', 'plugin', ...argv]);

  it('creates a package, and prints the next steps', async () => {
    const { exitCode, stdout } = await make('acme-notes');
    expect(exitCode).to.equal(0);
    expect(readdirSync(place.path('acme-notes')).sort()).to.deep.equal([
      '.gitignore',
      'README.md',
      'acme-notes-plugin.mjs',
      'acme-notes-plugin.test.mjs',
      'node.json',
      'package.json',
    ]);
    expect(stdout)
      .to.contain('acme-notes/acme-notes-plugin.mjs')
      .and.to.contain('npm install --no-save ../fact-memory-node-*.tgz && npm test && npm start');
    const text = readFileSync(place.path('acme-notes/acme-notes-plugin.mjs'), 'utf8');
    expect(text)
      .to.contain('export const acmeNotes =')
      .and.to.not.match(/NAME|EXPORT/);
  });

  it('puts the version of the node that it requires into the package', () => {
    const { peerDependencies } = JSON.parse(readFileSync(place.path('acme-notes/package.json'), 'utf8'));
    const own = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(peerDependencies).to.deep.equal({ 'fact-memory-node': own.version });
  });

  it('overwrites no file', async () => {
    mkdirSync(place.path('taken'));
    writeFileSync(place.path('taken/mine.txt'), 'mine');
    writeFileSync(place.path('file'), 'mine');
    for (const folder of ['taken', 'file', 'file/below']) {
      const { exitCode, stderr } = await make('acme-other', '--out', folder);
      expect([exitCode, stderr.includes('hint: name another with --out')], folder).to.deep.equal([1, true]);
    }
    expect(readdirSync(place.path('taken'))).to.deep.equal(['mine.txt']);
    expect((await make('acme-notes')).exitCode).to.equal(1);
  });

  it('refuses an invalid name of a plugin, and writes nothing', async () => {
    for (const name of ['Acme', '../up', 'a--b', '-a', 'a-', '1a', '', 'a b', 'a/b', 'ä', 'a'.repeat(41)]) {
      const argv = ['new', 'plugin', '--out', place.path('refused'), '--', name];
      const { exitCode, stderr } = await runInProcess(argv, { env: {} });
      expect([exitCode, stderr.includes('no name of a plugin')], name).to.deep.equal([1, true]);
    }
    expect(existsSync(place.path('refused'))).to.equal(false);
  });
});
