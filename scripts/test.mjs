// Runs the tests in two halves at once, each a mocha of its own with a database server of its own. The halves share
// nothing but the build.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of about equal length. */
const SECOND_HALF = ['dist/test/plugins/**', 'dist/test/processes/**', 'dist/test/simulation/**'];
const HALVES = [
  ['dist/test/**/*.test.js', ...SECOND_HALF.flatMap((files) => ['--ignore', files])],
  SECOND_HALF.map((files) => `${files}/*.test.js`),
];

const folder = mkdtempSync(join(tmpdir(), 'totals-'));

/** Resolves with what the half printed, how it ended, and its totals. The first half is shown while it runs. */
const run = (args, at) =>
  new Promise((resolve) => {
    const totals = join(folder, String(at));
    const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args, ...process.argv.slice(2)], {
      env: { ...process.env, TEST_TOTALS_FILE: totals },
      stdio: ['ignore', at === 0 ? 'inherit' : 'pipe', 'inherit'],
    });
    const printed = [];
    mocha.stdout?.on('data', (chunk) => printed.push(chunk));
    mocha.on('close', (code) => {
      const [line = '', ...failures] = existsSync(totals) ? readFileSync(totals, 'utf8').split('\n') : [];
      const counts = line.match(/\d+/g)?.slice(0, 3).map(Number);
      resolve({ failed: code !== 0, printed: Buffer.concat(printed), counts, failures });
    });
  });

const halves = await Promise.all(HALVES.map(run));
for (const { printed } of halves) process.stdout.write(printed);
rmSync(folder, { recursive: true, force: true });

const ended = halves.filter(({ counts }) => counts !== undefined);
const [passed, failed, skipped] = [0, 1, 2].map((place) => ended.reduce((sum, { counts }) => sum + counts[place], 0));
const unfinished = halves.length - ended.length;
// Once more at the end, because readers of a long log begin there.
for (const { failures } of halves) if (failures.length > 0) console.log(failures.join('\n'));
const line = `${passed} passed, ${failed + unfinished} failed, ${skipped} skipped`;
console.log(unfinished === 0 ? line : `${line} (${unfinished} of ${halves.length} halves did not run to their end)`);
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${line}\n`);
if (unfinished > 0 || halves.some((half) => half.failed)) process.exitCode = 1;
