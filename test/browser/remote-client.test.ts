import { createServer, type Server } from 'node:http';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { exportJWK } from 'jose';
import {
  type Browser,
  type ContextOptions,
  isBrowserInstalled,
  launchBrowser,
  type Page,
  readAxe,
} from '../kit/browser.ts';
import { comesTrue } from '../kit/comes-true.ts';
import { freePort } from '../kit/free-port.ts';
import { drawProviderKey } from '../kit/oidc/fake-provider.ts';
import { type ProviderProcess, startProvider } from '../kit/oidc/provider-process.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';
import { RememberingClient } from '../plugins/oauth/remembering-client.ts';

const CLIENT = 'memory';

if (isBrowserInstalled()) {
  describe('a remote client in the browser of a person', function () {
    this.timeout(180_000);
    let provider: ProviderProcess;
    let served: ServedNode;
    let browser: Browser;
    let program: Server;
    let callback: string;
    /** Errors of all pages, such as violations of their policy. */
    const faults: string[] = [];

    before(async () => {
      const { privateKey } = await drawProviderKey('RS256', 'first');
      const key = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' };
      provider = await startProvider({ keys: [key], algorithm: 'RS256', clientId: CLIENT });
      served = await startServedNode({
        SVC_NODE_URL: `http://127.0.0.1:${await freePort()}`,
        SVC_OAUTH_ENABLED: 'true',
        SVC_OAUTH_INSECURE: 'true',
        SVC_OIDC_ENABLED: 'true',
        SVC_OIDC_ISSUER_URL: provider.issuer,
        SVC_OIDC_CLIENT_ID: CLIENT,
      });
      browser = await launchBrowser();
      const port = await freePort();
      callback = `http://127.0.0.1:${port}/callback`;
      program = createServer(({ url = '' }, reply) => {
        const address = new URL(url, callback).searchParams.get('frame');
        reply.setHeader('Content-Type', 'text/html');
        reply.end(address === null ? 'The program has access.' : `<iframe src="${address.replaceAll('&', '&amp;')}">`);
      });
      await new Promise<void>((listens) => program.listen(port, '127.0.0.1', listens));
    });
    afterEach(() => {
      expect(faults.splice(0)).to.deep.equal([]);
    });
    after(async () => {
      await browser?.close();
      await served?.stop();
      await provider?.stop();
      program?.close();
    });

    const openPage = async (options: ContextOptions = {}): Promise<Page> => {
      const page = await (await browser.newContext(options)).newPage();
      page.on('console', (message) => {
        const isRefusal = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isRefusal) faults.push(message.text());
      });
      return page;
    };

    const connect = async (authProvider: RememberingClient) => {
      const transport = new StreamableHTTPClientTransport(new URL(`${served.url}/v1/mcp`), { authProvider });
      const client = new Client({ name: 'test', version: '1.0.0' });
      const refused = await client.connect(transport).then(
        () => undefined,
        (error: unknown) => error,
      );
      return { transport, client, refused };
    };

    /** Lets a client ask for access. Returns the address of the page to which it sends the person. */
    const ask = async () => {
      const program = new RememberingClient(callback);
      const { transport, refused } = await connect(program);
      expect(refused).to.be.instanceOf(UnauthorizedError);
      return { program, transport, address: String(program.sentTo) };
    };

    const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

    const signInByKey = async (page: Page, address: string): Promise<void> => {
      await page.goto(address);
      await page.getByLabel('Your key of this node').fill(served.adminKey);
      await press(page, 'Sign in');
      await page.getByRole('heading', { name: 'Give access to your memory?' }).waitFor();
    };

    const findingsOf = async (page: Page): Promise<readonly string[]> => {
      await page.evaluate(readAxe());
      const { violations } = await page.evaluate<{ violations: readonly { id: string; impact: string }[] }>(
        'axe.run(document, { resultTypes: ["violations"] })',
      );
      return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id);
    };

    it('is added by the address alone, calls a tool, and is refused after the end of its access in the console', async () => {
      const { program, transport, address } = await ask();
      const page = await openPage();
      await signInByKey(page, address);
      await press(page, 'Allow');
      await page.getByText('The program has access.').waitFor();
      await transport.finishAuth(new URL(page.url()).searchParams);
      const { client } = await connect(program);
      const call = () =>
        client.callTool({
          name: 'assert',
          arguments: { entity: 'user:alice', relation: 'memory:role', value: 'archivist' },
        });
      expect((await call()).isError).to.not.equal(true);
      await page.goto(`${served.url}/console/`);
      await page.getByLabel('Key', { exact: true }).fill(served.adminKey);
      await press(page, 'Sign in');
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      const grants = page.getByRole('table', { name: 'Remote clients with access' });
      await grants.getByText('agent:admin').waitFor();
      await grants.getByRole('button', { name: 'End the access of Assistant' }).click();
      await press(page, 'End access');
      await page.getByText('No remote client has access').waitFor();
      expect(await call().catch((error: unknown) => error)).to.be.instanceOf(UnauthorizedError);
    });

    it('asks on pages that work without scripts, for a person of the identity provider too', async () => {
      const { program, transport, address } = await ask();
      const page = await openPage({ javaScriptEnabled: false });
      await page.goto(address);
      await page.getByRole('link', { name: 'Sign in with the identity provider' }).click();
      await page.locator('input[name=login]').fill('bob');
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await press(page, 'Continue');
      await page.getByText('oidc:bob').waitFor();
      await press(page, 'Allow reading only');
      await page.getByText('The program has access.').waitFor();
      await transport.finishAuth(new URL(page.url()).searchParams);
      const { status, body } = await served.ask('GET', '/v1/me', undefined, program.tokens()?.access_token);
      expect([status, body.permissions]).to.deep.equal([200, ['read']]);
    });

    it('asks on pages that run no script of others, and that axe-core finds accessible', async () => {
      const page = await openPage();
      const { address } = await ask();
      await page.goto(address);
      expect(await findingsOf(page)).to.deep.equal([]);
      await signInByKey(page, address);
      expect(await findingsOf(page)).to.deep.equal([]);
      await page.evaluate('document.body.append(Object.assign(document.createElement("script"), { text: "ran = 1" }))');
      expect(await page.evaluate('typeof ran')).to.equal('undefined');
      expect(faults.splice(0).join()).to.match(/script-src|default-src/);
    });

    it('cannot show the pages in a frame', async () => {
      const page = await openPage();
      const { address } = await ask();
      await page.goto(`${callback}?frame=${encodeURIComponent(address)}`);
      await comesTrue(() => faults.length > 0);
      expect(faults.splice(0).join()).to.match(/frame-ancestors|X-Frame-Options/);
    });
  });
}
