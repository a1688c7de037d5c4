const LEFT_WORK_MS = 500;
/** The number of looks without progress after which nobody is expected to read the rest of the log. */
const LOOKS_AT_STUCK_LOG = 4;

/** Runs the work of this process, sets the exit code that it returns, and lets the process end. */
export const runToEnd = async (work: () => Promise<number>): Promise<void> => {
  // Only the user who runs this program may read its files, because store, log and keys hold private data.
  process.umask(0o077);

  // Ignores a closed pipe, as after `| head`, and a closed terminal, after which the node still stops in order.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
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
  // output is written first, however slowly it is read. A log that nothing reads keeps no process.
  let looks = 0;
  let unwritten = process.stderr.writableLength;
  setInterval(() => {
    const { writableLength } = process.stderr;
    looks = writableLength === unwritten ? looks + 1 : 0;
    unwritten = writableLength;
    if (process.stdout.writableLength > 0) return;
    if (writableLength === 0 || looks >= LOOKS_AT_STUCK_LOG) process.exit();
  }, LEFT_WORK_MS).unref();
};
