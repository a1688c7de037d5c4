const LEFT_WORK_MS = 500;
/** The number of looks without progress after which nobody is expected to read the rest of the log. */
const LOOKS_AT_STUCK_LOG = 4;
const REMEDY = 'hint: its text is not complete; make room on the disk, or write to another one\n';

/** Runs the work of this process, sets the exit code that it returns, and lets the process end. */
export const runToEnd = async (work: () => Promise<number>): Promise<void> => {
  // Only the user who runs this program may read its files, because store, log and keys hold private data.
  process.umask(0o077);

  // Ignores a closed pipe, as after `| head`, and a closed terminal, after which the node still stops in order. A full
  // disk makes a command fail, and stops no running node, whose greeting alone is lost.
  let hasFailed = false;
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || (code === 'EIO' && process.stdout.isTTY) || hasFailed) return;
    hasFailed = true;
    process.stderr.write(`error: standard output cannot be written (${code})\n${REMEDY}`);
  });

  // A log on a full disk is lost, and must not end the node.
  process.stderr.on('error', () => {});

  // Keeps the process alive, because the node's timers do not. Otherwise a plugin that waits for a timer would end it
  // without a message.
  const untilDone = setInterval(() => {}, 2 ** 30);
  try {
    const exitCode = await work();
    // A stream reports a failed write in a later turn.
    await new Promise(setImmediate);
    process.exitCode = hasFailed && exitCode === 0 ? 1 : exitCode;
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
