import { runCommandLine } from '../adapters/cli/command-line.ts';
import { createCommandLineDeps } from './command-line-deps.ts';

// Store, log and keys hold what everybody said: only the user who runs this program may read what it writes.
process.umask(0o077);

// `| head` closes the pipe early: that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Timers of the node do not keep the process. A plugin that waits for one, or for ever, would end it without a word.
const untilDone = setInterval(() => {}, 2 ** 30);
try {
  process.exitCode = await runCommandLine(process.argv.slice(2), createCommandLineDeps(process));
} finally {
  clearInterval(untilDone);
}
