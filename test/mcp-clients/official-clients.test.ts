import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { otherNode } from '../kit/other-node.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';

const FOLDER = join(projectRoot(), 'test/mcp-clients');
const MAIN = fileURLToPath(new URL('../../config/main.js', import.meta.url));
/** Both programs need this version of Node.js at least. */
const program = otherNode('22') ?? otherNode('24');
/** By its path, because a newer version for authorization servers is installed beside it. */
const CONFORMANCE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const INSPECTOR = join(FOLDER, 'node_modules/.bin/inspector');

const runFile = promisify(execFile);

if (program === undefined || !existsSync(CONFORMANCE)) {
  describe('the programs of the Model Context Protocol', () => {
    it('are skipped if they or Node.js 22 are not installed', () => {
      console.log('      npm ci --prefix test/mcp-clients --ignore-scripts, and the same with test/node-versions');
    });
  });
} else {
  describe('the programs of the Model Context Protocol', function () {
    this.timeout(300_000);
    let served: ServedNode;
    // The conformance suite sends no credential.
    before(async () => {
      served = await startServedNode({ SVC_AUTH_REQUIRED: 'false' });
    });
    after(() => served.stop());

    const run = async (script: string, argv: readonly string[]) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: served.folder };
      // A refusal exits with a non-zero code, which rejects the promise.
      return runFile(program, [script, ...argv], { env, cwd: served.folder, maxBuffer: 2 ** 26 });
    };

    it('include a conformance suite, which finds only the failures that not-applicable.yaml explains', async () => {
      const list = join(FOLDER, 'not-applicable.yaml');
      const { stdout } = await run(CONFORMANCE, [
        ...['server', '--url', `${served.url}/v1/mcp`, '--suite', 'all', '--expected-failures', list],
      ]);
      for (const scenario of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'])
        expect(stdout).to.match(new RegExp(`✓ ${scenario}: 1 passed, 0 failed`));
      expect(stdout).to.contain('✓ dns-rebinding-protection: 2 passed, 0 failed');
    });

    const TRANSPORTS = {
      'streamable HTTP': () => ['--server-url', `${served.url}/v1/mcp`, '--transport', 'http'],
      stdio: () => [process.execPath, MAIN, 'mcp', '-e', `SVC_URL=${served.url}`],
    };
    for (const [transport, target] of Object.entries(TRANSPORTS)) {
      const inspect = async (method: string, more: readonly string[]) => {
        const argv = ['--cli', ...target(), '--method', method, '--format', 'json', ...more];
        const { stdout, stderr } = await run(INSPECTOR, argv);
        return { result: JSON.parse(stdout).result, stderr };
      };

      it(`include an inspector, which accepts every tool schema over ${transport}`, async () => {
        const { result, stderr } = await inspect('tools/list', ['--strict']);
        expect(result.tools).to.have.lengthOf(9);
        expect(stderr).to.match(/^0 errors/m);
      });

      it(`include an inspector, which stores a fact over ${transport}`, async () => {
        const fact = { entity: 'user:alice', relation: 'memory:role', value: 'archivist', source: 'agent:inspector' };
        const { result } = await inspect('tools/call', [
          ...['--tool-name', 'assert', '--tool-args-json', JSON.stringify(fact)],
        ]);
        expect(result.structuredContent.fact).to.deep.include({ ...fact, value: { type: 'string', v: 'archivist' } });
      });
    }
  });
}
