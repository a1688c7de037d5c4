// Runs the tests in a few processes at once. Each takes the next part of the files when it is free: a mocha of its own,
// with a database server of its own. Parts share nothing but the build. Where few tests fail, their files are run once
// more, alone: a test that passes then is listed as unstable, and one that fails again fails the run. The same holds for
// a part whose process hangs or dies.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { scratchPlace } from '../dist/test/kit/scratch-place.js';

/**
 * The number of test processes: one more than cores, because tests wait for other processes. Each takes half a gigabyte
 * of memory.
 */
const PROCESSES = Math.min(8, availableParallelism() + 1);
/** The number of files in a part. Each part loads the program and starts a database server. */
const FILES_A_PART = 40;
/**
 * Folders with slow tests. Each is a part of its own and starts first, because slow parts must not start last. The first
 * test of `browser` unpacks the browser into the temporary folder, where another process would start an unfinished file.
 */
const LONG = ['simulation', 'processes', 'crash', 'plugins/federation', 'package', 'browser'];
/** The maximum number of failed tests for which the run repeats their files. More failures are no accident. */
const MOST_RETRIED = 5;
const LONGEST_SHOWN = 15;
/** Tests start and drop thousands of nodes. A larger space for young objects saves 5 % of the processor time. */
const YOUNG_SPACE = '--max-semi-space-size=32';

const FILTERS = process.argv.slice(2);
/** The temporary folder of the tests. In memory where possible, because each commit to a disk waits for the disk. */
const SCRATCH = mkdtempSync(join(await scratchPlace(), 'tests-'));
// The account of a database server must reach its folder in this one.
chmodSync(SCRATCH, 0o755);
const RESULTS = join(SCRATCH, 'results');
mkdirSync(RESULTS);
/** The folder in which the first process that needs the packed package puts it for all. */
const PACKED = join(SCRATCH, 'packed');
let runs = 0;
/**
 * The time without a line of output after which a part counts as hung: more than the longest limit of one test. No
 * limit of mocha ends a loop that blocks the event loop. The part as a whole has no limit, because its length depends on
 * the machine.
 */
const SILENCE_MS = 1_200_000;
/** The maximum number of broken parts that the run repeats. More broken parts are no accident. */
const MOST_REPEATED_PARTS = 2;
const LAST_CHARACTERS = 2_000;
/** The parts whose process hung or died, each with the reason and the end of its output. */
const broken = [];

/**
 * Resolves with mocha's output for the files and with its results; without results if it did not end properly. Files
 * that run again pack the package for themselves, because the shared one has what they left the first time.
 */
const run = (files, isFirst = true, isAgain = !isFirst) =>
  new Promise((resolve) => {
    runs += 1;
    const results = join(RESULTS, String(runs));
    const { TEST_TOTALS_FILE: _, ...env } = process.env;
    // Allows a part without tests, because a filter may exclude all of them.
    const shared = isAgain ? {} : { TEST_PACKED: PACKED };
    const args = [YOUNG_SPACE, 'node_modules/mocha/bin/mocha.js', '--no-fail-zero', ...files, ...FILTERS];
    const mocha = spawn(process.execPath, args, {
      env: { ...env, TEST_RESULTS_FILE: results, TMPDIR: SCRATCH, TEST_DISK: tmpdir(), ...shared },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = [];
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      mocha.kill('SIGKILL');
    }, SILENCE_MS);
    for (const stream of [mocha.stdout, mocha.stderr]) {
      stream.on('data', (chunk) => {
        printed.push(chunk);
        timer.refresh();
      });
    }
    mocha.on('close', (code, signal) => {
      clearTimeout(timer);
      const ended = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined;
      // Detects a run that has no failures but ended with an error.
      const isWhole = !hung && ended !== undefined && (code === 0 || ended.failed > 0);
      const part = { files, printed: Buffer.concat(printed), ended: isWhole ? ended : undefined };
      if (isWhole) return resolve(part);
      const reason = hung ? `printed nothing for ${SILENCE_MS / 60_000} minutes` : `ended with ${signal ?? code}`;
      broken.push({ files, reason, last: part.printed.toString().slice(-LAST_CHARACTERS) });
      if (!isFirst || broken.length > MOST_REPEATED_PARTS) return resolve(part);
      console.log(`a part ${reason} and is run once more: ${files.join(' ')}`);
      resolve(run(files, false));
    });
  });

/** Returns the parts: the slow folders, then the other files in groups. */
const partsOf = (files) => {
  const folderOf = (file) => LONG.find((name) => file.startsWith(join('dist/test', name) + sep));
  const long = LONG.map((name) => files.filter((file) => folderOf(file) === name)).filter(({ length }) => length > 0);
  const others = files.filter((file) => folderOf(file) === undefined);
  const count = Math.ceil(others.length / FILES_A_PART);
  // Distributes neighbouring files over different parts, because they take about equally long.
  const parts = Array.from({ length: count }, (_, part) => others.filter((_, at) => at % count === part));
  return [...long, ...parts];
};

const runParts = async (parts) => {
  const waiting = [...parts];
  const done = [];
  const work = async () => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
      const part = await run(files);
      done.push(part);
      process.stdout.write(part.printed);
      console.log(`part ${done.length} of ${parts.length} has ended`);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  return done;
};

/** Runs the files of the failures again, one after another, and separates the tests that pass this time. */
const retry = async (failures) => {
  const again = [];
  for (const file of new Set(failures.map((failure) => failure.file))) {
    console.log(`running ${file} once more, alone, because a test in it failed`);
    const { ended, printed } = await run([file], true, true);
    process.stdout.write(printed);
    if (ended === undefined || ended.failed > 0) again.push(file);
  }
  return {
    unstable: failures.filter(({ file }) => !again.includes(file)),
    failed: failures.filter(({ file }) => again.includes(file)),
  };
};

const files = readdirSync('dist/test', { recursive: true })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join('dist/test', name))
  .sort();
const parts = await runParts(partsOf(files));
const ended = parts.flatMap((part) => part.ended ?? []);
const unfinished = parts.length - ended.length;
const failures = ended.flatMap((part) => part.failures);
const isWorthIt = failures.length <= MOST_RETRIED && failures.every(({ file }) => file !== undefined);
const { unstable, failed } = isWorthIt ? await retry(failures) : { unstable: [], failed: failures };
rmSync(SCRATCH, { recursive: true, force: true });

// Prints the failures last, because readers of a long log begin at its end.
for (const { files, reason, last } of broken) {
  const word = parts.some((part) => part.files === files && part.ended) ? 'UNSTABLE' : 'FAILED';
  console.log(`${word} a part ${reason}: ${files.join(' ')}\nthe end of its output:\n${last}\n`);
}
for (const [word, tests] of Object.entries({ UNSTABLE: unstable, FAILED: failed })) {
  for (const { title, error } of tests) console.log(`${word} ${title}\n${error}\n`);
}
if (unstable.length > 0) {
  console.log(`${unstable.length} unstable: failed at first, and passed alone. That is a bug of the test or the product.\n`);
}
const took = ended.flatMap((part) => Object.entries(part.took)).sort(([, one], [, other]) => other - one);
console.log(`the ${LONGEST_SHOWN} files that took longest, in seconds:`);
for (const [file, ms] of took.slice(0, LONGEST_SHOWN)) {
  console.log(`${String(Math.round(ms / 1_000)).padStart(6)} ${relative('dist/test', file)}`);
}
if (process.env.TEST_TIMES) writeFileSync(process.env.TEST_TIMES, JSON.stringify(took));
const sum = (name) => ended.reduce((total, part) => total + part[name], 0);
const passed = sum('passed') + unstable.length;
const line = `${passed} passed, ${failed.length + unfinished} failed, ${sum('skipped')} skipped`;
console.log(unfinished === 0 ? line : `${line} (${unfinished} of ${parts.length} parts did not run to their end)`);
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${line}\n`);
if (passed === 0 || failed.length + unfinished > 0) process.exitCode = 1;
