import { join } from 'node:path';
import { expect } from 'chai';
import { openNode } from '../../../config/open-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { runInProcess } from './run-in-process.ts';

const run = (...argv: string[]) => runInProcess(argv, { openNode });

describe('a wrong word on the command line', () => {
  for (const [words, remedy] of [
    ['help assrt', 'did you mean assert?'],
    ['assrt --help', 'did you mean assert?'],
    ['ASSERT --help', 'did you mean assert?'],
    ['help key ad', 'did you mean add?'],
    ['key help ad', 'did you mean add?'],
    ['key ad --help', 'did you mean add?'],
    ['backup lst', 'did you mean list?'],
    ['backup LIST', 'did you mean list?'],
    ['backup lst --help', 'did you mean list?'],
    ['encryption stat', 'did you mean status?'],
  ] as const) {
    it(`is named, with the word that was meant: ${words}`, async () => {
      const { exitCode, stdout, stderr } = await run(...words.split(' '));
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain('error: unknown command').and.to.contain(`hint: ${remedy}`);
    });
  }

  for (const [words, remedy] of [
    ['recall Who is Alice?', 'put a text with spaces into quotes'],
    ['assert user:alice memory:role Chief Executive', 'put a text with spaces into quotes'],
    ['query user:alice', 'the command takes options alone'],
    ['backup create now', 'the command takes options alone'],
  ] as const) {
    it(`beyond the arguments of a command gets a remedy: ${words}`, async () => {
      const { exitCode, stderr } = await run(...words.split(' '));
      expect(exitCode).to.equal(1);
      expect(stderr).to.contain('too many arguments').and.to.contain(`hint: ${remedy}`);
    });
  }

  for (const words of ['help key add', 'key help add', 'key add --help']) {
    it(`is no word of a command in a group, whose help is shown: ${words}`, async () => {
      const { exitCode, stdout } = await run(...words.split(' '));
      expect(exitCode).to.equal(0);
      expect(stdout).to.contain('Usage: fact-memory-node key add');
    });
  }

  for (const words of ['help', 'help help', '--help', '--help assert', 'help backup', 'backup --help']) {
    it(`stands in none of these, which show a help: ${words}`, async () => {
      const { exitCode, stdout } = await run(...words.split(' '));
      expect(exitCode).to.equal(0);
      expect(stdout).to.contain('Usage: fact-memory-node');
    });
  }
});

describe('a name that is not there', () => {
  for (const [words, lister] of [
    ['tombstone erase user:alice --yes', 'tombstone list'],
    ['namespace remove svc://none', 'namespace list'],
    ['tenant show none', 'tenant list'],
    ['peer revoke none', 'peer list'],
    ['key revoke none', 'key list'],
  ] as const) {
    it(`gets the command that lists such names: ${words.split(' ').slice(0, 2).join(' ')}`, () =>
      inTemporaryFolder(async (folder) => {
        const place = {
          SVC_DB_PATH: join(folder, 'node.db'),
          ...{ SVC_MULTI_TENANT_ENABLED: '1', SVC_TOMBSTONES_ENABLED: '1', SVC_NAMESPACES_ENABLED: '1' },
        };
        const at = (...argv: string[]) => runInProcess(argv, { env: { ...place, SVC_LOG_LEVEL: 'silent' }, openNode });
        expect((await at('init')).exitCode).to.equal(0);
        const { exitCode, stderr } = await at(...words.split(' '));
        expect(exitCode).to.equal(1);
        expect(stderr)
          .to.match(/^error: .*\nhint: /)
          .and.to.contain(`"fact-memory-node ${lister}"`);
      }));
  }
});
