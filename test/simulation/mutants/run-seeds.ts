import { simulate } from '../simulate.ts';
import { removeTemplates } from '../world/templates.ts';

/** Runs the given seeds in a process whose code may be mutated, and prints which of them broke an invariant. */
const seeds = process.argv.slice(2).map(Number);
try {
  for (const seed of seeds) {
    await simulate(seed).catch((error: Error) => {
      process.stdout.write(`${error.message.split('\n').slice(0, 2).join('\n')}\n`);
      process.exitCode = 1;
    });
    if (process.exitCode === 1) break;
  }
} finally {
  removeTemplates();
}
