import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { count } from '../../crash/crash-counts.ts';
import { type Case, MUTANTS, type Mutant } from './mutants.ts';

/** The usual run tries every third simulation, because each takes some ten seconds. The long run tries all. */
const EVERY = count('SVC_TEST_EVERY_MUTANT', 3, 1);
const TRIED = MUTANTS.filter(({ noticedBy }, at) => !('seed' in noticedBy) || at % EVERY === 0);

const REGISTER = new URL('./register-mutant.js', import.meta.url).href;
const RUN_SEEDS = 'dist/test/simulation/mutants/run-seeds.js';
const RUN_CASE = 'dist/test/simulation/mutants/run-case.js';

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> => {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, printed: Buffer.concat(parts).toString() }));
  });
};

const caseArgs = ({ file, title }: Case): string[] => [`dist/test/${file}.test.js`, title];

/** Runs the seed or the test case in a process whose code contains the bug. */
const runMutated = ({ name, noticedBy }: Mutant): Promise<Ended> => {
  const args = 'seed' in noticedBy ? [RUN_SEEDS, String(noticedBy.seed)] : [RUN_CASE, ...caseArgs(noticedBy)];
  return run(['--import', REGISTER, ...args], { SIMULATION_MUTANT: name });
};

const nameOf = (noticedBy: Mutant['noticedBy']): string =>
  'seed' in noticedBy ? `seed ${noticedBy.seed}` : `\`${noticedBy.file}.test.ts\``;

const sourceOf = (file: string | undefined): string => `\`${file?.replace(/\.js$/, '.ts')}\``;

describe('seeded bugs', function () {
  this.timeout(300_000);
  const cases = MUTANTS.flatMap(({ noticedBy }) => ('seed' in noticedBy ? [] : [noticedBy]));
  let unmutated: Ended;
  before(async () => {
    // One process for all cases, because loading a node takes longer than most of them.
    unmutated = await run([RUN_CASE, ...cases.flatMap(caseArgs)]);
  });

  for (const mutant of TRIED) {
    const { name, noticedBy } = mutant;
    it(`${name} is detected by ${nameOf(noticedBy)}`, async () => {
      const { code, printed } = await runMutated(mutant);
      expect(printed).not.to.include('has the text of the mutant');
      expect(code, printed).to.equal(1);
      if ('seed' in noticedBy) expect(printed).to.match(/^seed \d+ .* broke a promise$/m);
      else expect(printed).to.include(`failed: ${noticedBy.title}: AssertionError\n`);
    });

    if ('seed' in noticedBy) continue;
    it(`${nameOf(noticedBy)} passes without ${name}`, () => {
      const { code, printed } = unmutated;
      expect(code, printed).to.equal(0);
      expect(printed).to.include(`passed: ${noticedBy.title}\n`);
    });
  }

  it('replace texts that occur once', async () => {
    for (const { name, edits } of MUTANTS) {
      for (const { file, from } of edits) {
        const text = await readFile(`dist/${file}`, 'utf8');
        expect(text.split(from), `${name} in ${file}`).to.have.length(2);
      }
    }
  });

  it('are listed in the README', async () => {
    const readme = await readFile('test/simulation/README.md', 'utf8');
    const rows = MUTANTS.map(
      ({ name, bug, edits, noticedBy }) => `| ${name} | ${bug} | ${sourceOf(edits[0]?.file)} | ${nameOf(noticedBy)} |`,
    );
    expect(rows.filter((row) => !readme.includes(row))).to.deep.equal([]);
  });
});
