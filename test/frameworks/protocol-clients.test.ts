import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { otherNode } from '../kit/other-node.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';
import { FRAMEWORKS } from './framework-package.ts';

const runFile = promisify(execFile);

/** The way to list the tools of each client, which has no place in a line. */
const LISTS: Readonly<Record<string, string>> = {
  '@langchain/mcp-adapters': '(await client.getTools()).map(({ name }) => name)',
  '@openai/agents-core': '(await client.connect(), await client.listTools()).map(({ name }) => name)',
  '@ai-sdk/mcp': 'Object.keys(await client.tools())',
};
/** Packages that need a later Node.js. */
const NEEDS_22 = ['@ai-sdk/mcp'];

const page = readFileSync(join(projectRoot(), 'docs/guides/frameworks.md'), 'utf8');
const lines = [...page.matchAll(/^\| [^|]+ \| `([^`]+)` \| `((?:await|new) [^`]+)` \|$/gm)];

describe('the MCP client configurations in docs/guides/frameworks.md', () => {
  let served: ServedNode;
  before(async () => {
    served = await startServedNode();
  });
  after(() => served.stop());

  it('are all tested', () => {
    expect(lines.map(([, name]) => name)).to.have.members(Object.keys(LISTS));
  });

  for (const [, name = '', line = ''] of lines) {
    it(`list the tools of a node: ${name}, where it is installed`, async () => {
      const program = NEEDS_22.includes(name) ? otherNode('22') : process.execPath;
      if (program === undefined || !existsSync(join(FRAMEWORKS, 'node_modules', name))) {
        console.log('      npm ci --prefix test/frameworks --ignore-scripts, with Node.js 22 in test/node-versions');
        return;
      }
      const imported = /(?:new|await) (\w+)/.exec(line)?.[1];
      const code = `
        import { ${imported} } from '${name}';
        const url = '${served.url}/v1/mcp';
        const headers = { Authorization: 'Bearer ${served.adminKey}' };
        const client = ${line};
        console.log(JSON.stringify(${LISTS[name]}));
        await client.close();`;
      const { stdout } = await runFile(program, ['--input-type=module', '-e', code], { cwd: FRAMEWORKS });
      expect(JSON.parse(stdout), stdout).to.include.members(['assert', 'recall', 'query']);
    });
  }
});
