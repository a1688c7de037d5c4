// The usual report for people. Besides, where TEST_TOTALS_FILE names a file, the run's own numbers for a program: the report is
// for eyes, and nobody should have to read them out of it.
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

module.exports = class TotalsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.TEST_TOTALS_FILE;
    if (!file) return;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const failed = this.failures.map((test) => `FAILED ${test.fullTitle()}\n${test.err?.stack ?? test.err ?? ''}\n`);
      writeFileSync(file, [`${passes} passed, ${failures} failed, ${pending} skipped`, ...failed].join('\n'));
    });
  }
};
