import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { MUTANTS, type Mutant } from './mutants.ts';

const REGISTER = new URL('./register-mutant.js', import.meta.url).href;
const RUN_SEEDS = 'dist/test/simulation/mutants/run-seeds.js';

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

/** Runs the seed in a process whose code has the mistake. */
const runMutated = ({ name, seed }: Mutant): Promise<Ended> => {
  const child = spawn(process.execPath, ['--import', REGISTER, RUN_SEEDS, String(seed)], {
    env: { ...process.env, SIMULATION_MUTANT: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, printed: Buffer.concat(parts).toString() }));
  });
};

describe('seeded bugs', function () {
  this.timeout(120_000);

  for (const mutant of MUTANTS) {
    it(`${mutant.name} is noticed by the seed ${mutant.seed}`, async () => {
      const { code, printed } = await runMutated(mutant);
      expect(printed).not.to.include('has the text of the mutant');
      expect(code, printed).to.equal(1);
      expect(printed).to.match(/^seed \d+ .* broke a promise$/m);
    });
  }

  it('are listed in the README', async () => {
    const readme = await readFile('test/simulation/README.md', 'utf8');
    expect(MUTANTS.filter(({ name }) => !readme.includes(`| ${name} |`)).map(({ name }) => name)).to.deep.equal([]);
  });
});
