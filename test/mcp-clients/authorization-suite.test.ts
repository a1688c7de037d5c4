import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { freePort } from '../kit/free-port.ts';
import { otherNode } from '../kit/other-node.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';
import { fieldOf } from '../plugins/oauth/oauth-kit.ts';

/** The first version with scenarios for authorization servers. It needs Node.js 22. */
const SUITE = join(projectRoot(), 'test/mcp-clients/node_modules/conformance-of-authorization/dist/index.js');
const program = otherNode('22') ?? otherNode('24');

if (program !== undefined && existsSync(SUITE)) {
  describe('the conformance suite of the Model Context Protocol for authorization servers', function () {
    this.timeout(120_000);
    let served: ServedNode;
    before(async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      served = await startServedNode({ SVC_NODE_URL: url, SVC_OAUTH_ENABLED: 'true', SVC_OAUTH_INSECURE: 'true' });
    });
    after(() => served.stop());

    const send = (path: string, fields: Readonly<Record<string, string>>, cookie = ''): Promise<Response> =>
      fetch(`${served.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Origin: served.url, Cookie: cookie },
        body: new URLSearchParams(fields),
      });

    /** Allows the access for which this address asks, as a person in a browser. */
    const allow = async (address: string): Promise<void> => {
      const request = new URL(address).search.slice(1);
      const page = await send('/oauth/sign-in', { request, key: served.adminKey });
      const cookie = page.headers.get('set-cookie')?.split(';')[0];
      const ticket = fieldOf({ text: await page.text() }, 'ticket');
      const choice = { ticket, decision: 'allow', permission: 'read', scope: 'local', days: '1' };
      await fetch((await send('/oauth/consent', choice, cookie)).headers.get('location') ?? '');
    };

    it('passes every scenario', async () => {
      const port = await freePort();
      const redirect_uris = [`http://127.0.0.1:${port}/callback`];
      const { body } = await served.ask('POST', '/oauth/register', { client_name: 'Suite', redirect_uris });
      const suite = spawn(program, [
        ...[SUITE, 'authorization', '--url', served.url, '--client-id', body.client_id, '--port', String(port)],
        ...['--resource', `${served.url}/v1/mcp`],
      ]);
      let output = '';
      let allowing: Promise<void> | undefined;
      suite.stdout.on('data', (text) => {
        output += text;
        const [address] = /http:\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output) ?? [];
        if (address !== undefined) allowing ??= allow(address);
      });
      const [code] = await once(suite, 'close');
      await allowing;
      expect(code, output).to.equal(0);
      expect(output).to.contain('✓ authorization-server-metadata-endpoint: 2 passed, 0 failed');
      expect(output).to.contain('✓ authorization-code-grant: 1 passed, 0 failed');
    });
  });
}
