// Prints mocha's usual report. With TEST_RESULTS_FILE, also writes a JSON file with totals, failures and the time of
// each file.
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

module.exports = class TotalsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const results = process.env.TEST_RESULTS_FILE;
    if (!results) return;
    const took = timesOfFiles(runner);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      const failures = this.failures.map((test) => ({
        title: test.fullTitle(),
        file: test.file ?? test.parent?.file,
        error: String(test.err?.stack ?? test.err ?? ''),
      }));
      writeFileSync(results, JSON.stringify({ passed, failed, skipped, failures, took }));
    });
  }
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
