const LEFT_WORK_MS = 500;

/** Runs the work of this process, sets the exit code that it returns, and lets the process end. */
export const runToEnd = async (work: () => Promise<number>): Promise<void> => {
  // Only the user who runs this program may read its files, because store, log and keys hold private data.
  process.umask(0o077);

  // Ignores a closed pipe, as after `| head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

  // Keeps the process alive, because the node's timers do not. Otherwise a plugin that waits for a timer would end it
  // without a message.
  const untilDone = setInterval(() => {}, 2 ** 30);
  try {
    process.exitCode = await work();
  } finally {
    clearInterval(untilDone);
  }

  // A hook that has passed its deadline, or any command, may leave work behind that would keep the process alive. The
  // output is written first.
  setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  }, LEFT_WORK_MS).unref();
};
