import { expect } from 'chai';
import { runScript } from '../../kit/run-script.ts';

const KIT = new URL('../../kit/start-test-node.js', import.meta.url).href;

/** Reports each loaded module. */
const HOOK = `
  import { writeSync } from 'node:fs';
  export const load = (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context); };
`;

const script = (path: string, body: string): string => `
  import { register } from 'node:module';
  register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(HOOK)}`)});
  const { startTestNode } = await import(${JSON.stringify(KIT)});
  const node = await startTestNode();
  const key = await node.addKey();
  const { status } = await node.request(${path}, { key, ...${body} });
  await node.stop();
  process.stdout.write(String(status));
`;

describe('the MCP SDK', () => {
  it('is loaded by the first message, and not earlier', async () => {
    const without = await runScript(script("'GET', '/v1/me'", '{}'));
    expect(without.stdout).to.equal('200');
    expect(without.stderr).to.include('/plugins/mcp/mcp-plugin.js').and.not.to.include('@modelcontextprotocol');
    const message = JSON.stringify({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    const used = await runScript(script("'POST', '/v1/mcp'", message));
    expect(used.stdout).to.equal('200');
    expect(used.stderr).to.include('@modelcontextprotocol/server');
  });
});
