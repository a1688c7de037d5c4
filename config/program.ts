import { runCommandLine } from '../adapters/cli/command-line.ts';
import { createCommandLineDeps } from './command-line-deps.ts';

// Store, log and keys hold private data, so only the user who runs this program may read its files.
process.umask(0o077);

// `| head` closes the pipe early, which is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Timers of the node do not keep the process alive. A plugin that waits for one would end it without a message.
const untilDone = setInterval(() => {}, 2 ** 30);
try {
  process.exitCode = await runCommandLine(process.argv.slice(2), createCommandLineDeps(process));
} finally {
  clearInterval(untilDone);
}
