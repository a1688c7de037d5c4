// The usual report for people. Besides, where TEST_RESULTS_FILE names a file, the numbers and the failures of the run for
// a program: the report is for eyes, and no program should have to read them out of it.
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

module.exports = class TotalsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const results = process.env.TEST_RESULTS_FILE;
    if (!results) return;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      const failures = this.failures.map((test) => ({
        title: test.fullTitle(),
        file: test.file ?? test.parent?.file,
        error: String(test.err?.stack ?? test.err ?? ''),
      }));
      writeFileSync(results, JSON.stringify({ passed, failed, skipped, failures }));
    });
  }
};
