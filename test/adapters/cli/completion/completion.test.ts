import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { runInProcess } from '../run-in-process.ts';

const run = promisify(execFile);

/** For each shell, a function that completes a command line whose last word is still being typed. */
const DRIVERS = {
  bash: {
    flags: ['--norc', '--noprofile'],
    script: `source ./script
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
complete -p "$1" > /dev/null || exit 1
_fact_memory_node 2> /dev/null
printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  // A script cannot drive the line editor of zsh, so the test prints the suggestions of the completion.
  zsh: {
    flags: ['-f'],
    script: `compdef() { programs=("$@[2,-1]") }
compset() { [[ "$words[CURRENT]" == \${~2}* ]] && typed="\${words[CURRENT]##\${~2}}" }
offer() { for each in "$@"; do [[ "$each" == "$typed"* ]] && print -r -- "$each"; done }
compadd() { while [[ "$1" != -- ]]; do shift; done; shift; offer "$@" }
_files() { offer *(N) }
source ./script
(( $programs[(I)$1] )) || exit 1
words=("$@"); CURRENT=$#; typed="$words[CURRENT]"
_fact_memory_node; true`,
  },
  fish: {
    flags: ['--no-config'],
    script: `source ./script; complete -C (string join ' ' -- $argv) | string replace -r '\\t.*' ''; true`,
  },
} as const;

type Shell = keyof typeof DRIVERS;

const isInstalled = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const SHELLS = (Object.keys(DRIVERS) as Shell[]).filter(isInstalled);

describe('the shell completion of the command line', () => {
  it('is tested in bash at least', () => {
    expect(SHELLS).to.include('bash');
  });

  it('is refused for an unknown shell', async () => {
    const { exitCode, stdout, stderr } = await runInProcess(['completion', 'tcsh']);
    expect([exitCode, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.contain('bash, zsh, fish');
  });

  for (const shell of SHELLS) {
    describe(`in ${shell}`, () => {
      let folder: string;

      before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'completion-'));
        mkdirSync(join(folder, 'some folder'));
        writeFileSync(join(folder, 'script'), (await runInProcess(['completion', shell])).stdout);
        writeFileSync(join(folder, 'my facts.jsonl'), '');
      });
      after(() => rmSync(folder, { recursive: true }));

      const complete = async (...words: string[]): Promise<string[]> => {
        const { flags, script } = DRIVERS[shell];
        const argv = shell === 'bash' ? ['bash', ...words] : words;
        const { stdout } = await run(shell, [...flags, '-c', script, ...(shell === 'zsh' ? ['zsh'] : []), ...argv], {
          cwd: folder,
        });
        return stdout.split('\n').filter((line) => line !== '');
      };

      for (const program of ['fact-memory-node', 'svc']) {
        it(`completes the subcommands of ${program}`, async () => {
          expect(await complete(program, 'rec')).to.deep.equal(['recall']);
          expect(await complete(program, 'confl')).to.deep.equal(['conflicts']);
          expect(await complete(program, 'key', '')).to.have.members(['add', 'list', 'revoke']);
        });
      }

      it('completes the options of a command, also after other options with values', async () => {
        const options = await complete('svc', 'query', '--include');
        expect(options).to.have.members(['--include-contradicted', '--include-expired', '--include-retracted']);
        expect(await complete('svc', 'query', '--scope', 'team', '--json', '--val')).to.deep.equal(['--valid-at']);
        expect(await complete('svc', 'key', 'add', '--perm')).to.deep.equal(['--permissions']);
        expect(await complete('svc', 'jobs', 'watch', '--key')).to.deep.equal(['--key-file']);
        expect(await complete('svc', 'start', '--wor')).to.deep.equal(['--workers']);
      });

      it('completes the allowed values of an option', async () => {
        expect(await complete('svc', 'assert', '--scope', '')).to.have.members(['local', 'team', 'company', 'public']);
        expect(await complete('svc', 'assert', '--type', 'da')).to.deep.equal(['datetime']);
        expect(await complete('svc', 'assert', '--source', '')).to.deep.equal([]);
      });

      it('completes the next item of a comma-separated list', async () => {
        const [found = '', ...others] = await complete('svc', 'lint', '--checks', 'stale,orp');
        expect(others).to.deep.equal([]);
        expect(found).to.match(/^(?:stale,)?orphan$/);
      });

      it('completes file names where an option or argument takes a file', async () => {
        const files = (await complete('svc', 'recall', '--key-file', 'my')).join();
        expect(files.replaceAll('\\', '')).to.equal('my facts.jsonl');
        expect((await complete('svc', 'import', '')).join().replaceAll('\\', '')).to.contain('my facts.jsonl');
        expect((await complete('svc', 'query', '')).join()).not.to.contain('facts.jsonl');
      });
    });
  }
});
