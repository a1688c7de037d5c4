import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';

/**
 * Runs test cases, each given by its file and its title, in a process whose code may be mutated. It imports the files
 * itself, because Mocha would use `require`, which bypasses the loader hook.
 */
const given = process.argv.slice(2);
const files = given.filter((_, at) => at % 2 === 0);
const titles = given.filter((_, at) => at % 2 === 1);
const mocha = new Mocha({ ui: 'bdd', reporter: Mocha.reporters.Base, timeout: 60_000 });
for (const file of files) {
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, file, mocha);
  await import(pathToFileURL(resolve(file)).href);
}
mocha.grep(new RegExp(titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')));

const failed = await new Promise<boolean>((done) => {
  const runner = mocha.run((failures) => done(failures > 0));
  runner.on(Mocha.Runner.constants.EVENT_TEST_PASS, (test) => {
    process.stdout.write(`passed: ${test.fullTitle()}\n`);
  });
  runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error) => {
    process.stdout.write(`failed: ${test.fullTitle()}: ${error.name}\n`);
  });
});
// A failed test case may leave a node running.
process.exit(failed ? 1 : 0);
