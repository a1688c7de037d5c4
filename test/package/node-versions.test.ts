import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { NODE_VERSIONS, otherNode } from '../kit/other-node.ts';
import { type PackedPackage, packedPackage } from './packed-package.ts';
import { startProgram } from './started-program.ts';

const runFile = promisify(execFile);
const KEY = 'versions-0123456789abcdef0123456789abcdef';
const VERSIONS = ['20', '22', '24'];
/** The lowest version in the `engines` of the package. */
const LOWEST = '20';

/** Matches a warning that may appear on a busy machine. */
const SLOW = /a hook handler is slow/;
const UNWANTED = /Warning|"level":"(warn|error)"/;

/** A program with the first steps of a user; it prints one line for each step. */
const SMOKE = `
import { FactClient } from 'fact-memory-node/client';
const client = new FactClient({ source: 'agent:smoke' });
const triple = { entity: 'user:alice', relation: 'memory:role' };
if (process.argv[2] === 'first') {
  await client.assert({ ...triple, value: 'CEO' });
  await client.assert({ ...triple, value: 'CTO' });
}
const pages = [];
for await (const conflict of client.conflicts()) pages.push(conflict);
console.log('conflicts', pages.length);
if (process.argv[2] === 'first') {
  await client.resolve(pages[0].conflict_id, { winning_fact_id: pages[0].fact_a.id });
} else {
  // After a start, the node serves while it still reads facts into the index.
  let found = false;
  for (let attempt = 0; attempt < 100 && !found; attempt += 1) {
    const { facts } = await client.recall({ query: 'What is the role of Alice?', scope: 'company' });
    found = facts.length > 0;
    if (!found) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log('recalled', found);
}
`;

describe('the packed package on other versions of Node.js', function () {
  this.timeout(600_000);
  let packed: PackedPackage;
  before(async () => {
    packed = await packedPackage();
  });

  it('requires at least the lowest tested version', () => {
    const { engines } = JSON.parse(readFileSync(join(packed.installed, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(engines.node).to.match(new RegExp(`^>=${LOWEST}\\.`));
    const { optionalDependencies } = JSON.parse(readFileSync(join(NODE_VERSIONS, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    for (const version of VERSIONS) {
      expect(optionalDependencies[`node-${version}-linux-x64`]).to.match(new RegExp(`@${version}\\.\\d+\\.\\d+$`));
    }
  });

  for (const version of VERSIONS) {
    const found = otherNode(version);

    it(`stores, contradicts, resolves, restarts and moves facts on Node.js ${version}`, async () => {
      if (found === undefined) {
        console.log(
          `      Node.js ${version} is not installed here: npm ci --prefix test/node-versions --ignore-scripts`,
        );
        return;
      }
      expect((await runFile(found, ['--version'])).stdout).to.match(new RegExp(`^v${version}\\.`));
      mkdirSync(join(packed.folder, 'versions'), { recursive: true });
      const place = mkdtempSync(join(packed.folder, 'versions', `node-${version}-`));
      writeFileSync(join(place, 'smoke.mjs'), SMOKE);
      const main = join(packed.installed, 'dist/config/main.js');
      const env = { SVC_PORT: '0', SVC_BOOTSTRAP_KEY: KEY, SVC_DB_PATH: 'data/svc.db' };
      const serve = () => startProgram([found, main, 'start'], { folder: place, env });
      const smoke = async (url: string, when: string): Promise<string> => {
        const clientEnv = { SVC_URL: url, SVC_API_KEY: KEY };
        const { stdout, stderr } = await runFile(found, ['smoke.mjs', when], { cwd: place, env: clientEnv });
        expect(stderr).to.equal('');
        return stdout;
      };
      const command = (argv: readonly string[], more: Record<string, string> = {}) =>
        runFile(found, [main, ...argv], { cwd: place, env: { ...env, ...more } });

      for (const [when, printed] of [
        ['first', 'conflicts 1\n'],
        ['second', 'conflicts 0\nrecalled true\n'],
      ] as const) {
        const node = await serve();
        try {
          expect(await smoke(node.url, when)).to.equal(printed);
        } finally {
          const { exitCode, stderr } = await node.end('SIGTERM');
          expect(exitCode).to.equal(0);
          // Warnings of Node.js itself are not lines of the log.
          const unwanted = stderr.split('\n').filter((line) => UNWANTED.test(line) && !SLOW.test(line));
          expect(unwanted.join('\n')).to.equal('');
        }
      }

      await command(['export', '--out', 'memory.ndjson']);
      const other = { SVC_DB_PATH: 'other/svc.db' };
      await command(['init'], other);
      const imported = await command(['import', 'memory.ndjson'], other);
      expect(`${imported.stdout}${imported.stderr}`).to.not.match(/Warning/);
      await command(['export', '--out', 'again.ndjson'], other);
      const facts = (file: string): number =>
        readFileSync(join(place, file), 'utf8')
          .split('\n')
          .filter((line) => line.includes('"memory:role"')).length;
      expect([facts('memory.ndjson') > 0, facts('again.ndjson')]).to.deep.equal([true, facts('memory.ndjson')]);
    });
  }
});
