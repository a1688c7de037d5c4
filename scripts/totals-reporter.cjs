// Prints mocha's usual report, and ends the process when the tests have closed everything. With TEST_RESULTS_FILE, also
// writes a JSON file with totals, failures and the time of each file.
const { writeFileSync } = require('node:fs');
const { Socket } = require('node:net');
const Mocha = require('mocha');

module.exports = class TotalsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, endWhenClosed);
    const results = process.env.TEST_RESULTS_FILE;
    if (!results) return;
    const took = timesOfFiles(runner);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      const failures = this.failures.map((test) => ({
        title: test.fullTitle(),
        file: test.file ?? test.parent?.file,
        error: textOf(test.err),
      }));
      writeFileSync(results, JSON.stringify({ passed, failed, skipped, failures, took }));
    });
  }
};

/** The code that began each connection, because a socket that is still connecting has no ports that name it. */
const begun = new WeakMap();
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...target) {
  begun.set(this, new Error(`begun to ${JSON.stringify(target, ['path', 'host', 'port'])}`));
  return connect.apply(this, target);
};

/** How long a connection or a child process may outlive the tests. */
const MAX_OPEN_MS = 60_000;
const POLL_MS = 20;
/** Resources that may stay open: the standard streams, and the timer that looks. */
const expected = [...process.getActiveResourcesInfo(), 'Timeout'];

/**
 * Ends the process itself, because Node.js 20 may loop for ever once its event loop is empty
 * (nodejs/node#47748). Fails the run if the tests left something open.
 */
const endWhenClosed = () => {
  const sinceMs = Date.now();
  setInterval(() => {
    const open = process.getActiveResourcesInfo();
    for (const name of expected) if (open.includes(name)) open.splice(open.indexOf(name), 1);
    if (open.length > 0 && Date.now() - sinceMs < MAX_OPEN_MS) return;
    if (open.length > 0) {
      console.error(`the tests left open: ${open.join(', ')}\n${process._getActiveHandles().map(describe).join('\n')}`);
      process.once('exit', () => {
        process.exitCode = 1;
      });
    }
    process.exit();
  }, POLL_MS);
};

/** Describes a handle by what tells a reader which test opened it. */
const describe = (handle) => {
  const { localPort, remotePort, connecting, spawnargs, pid, path, fd } = handle;
  const known = { localPort, remotePort, connecting, spawnargs, pid, path, fd, listens: handle.address?.() };
  return `${handle.constructor.name} ${JSON.stringify(known)} ${begun.get(handle)?.stack ?? ''}`;
};

/** Returns an error with its causes, because fast-check gives the failed assertion as the cause. */
const textOf = (error) => {
  const text = String(error?.stack ?? error ?? '');
  return error?.cause === undefined ? text : `${text}\ncaused by ${textOf(error.cause)}`;
};

/** Returns an object that fills during the run: milliseconds by file. */
const timesOfFiles = (runner) => {
  const { EVENT_SUITE_BEGIN, EVENT_SUITE_END } = Mocha.Runner.constants;
  const took = {};
  let begunMs = 0;
  const onOutermost = (listener) => (suite) => suite.parent?.root && suite.file && listener(suite.file);
  runner.on(
    EVENT_SUITE_BEGIN,
    onOutermost(() => {
      begunMs = Date.now();
    }),
  );
  runner.on(
    EVENT_SUITE_END,
    onOutermost((file) => {
      took[file] = (took[file] ?? 0) + Date.now() - begunMs;
    }),
  );
  return took;
};
