import { expect } from 'chai';
import { exportJWK } from 'jose';
import { isBrowserInstalled } from '../../kit/browser.ts';
import { freePort } from '../../kit/free-port.ts';
import { drawProviderKey } from '../../kit/oidc/fake-provider.ts';
import { type ProviderProcess, startProvider } from '../../kit/oidc/provider-process.ts';
import { type ConsoleBrowser, startConsoleBrowser } from './console-browser.ts';

const CLIENT = 'fact-memory-console';

if (isBrowserInstalled()) {
  describe('the sign-in of the console by an identity provider', function () {
    this.timeout(180_000);
    let console: ConsoleBrowser;
    let provider: ProviderProcess;
    before(async () => {
      const { privateKey } = await drawProviderKey('RS256', 'first');
      const key = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' };
      provider = await startProvider({ keys: [key], algorithm: 'RS256', clientId: CLIENT });
      console = await startConsoleBrowser({
        SVC_NODE_URL: `http://127.0.0.1:${await freePort()}`,
        SVC_OIDC_ENABLED: 'true',
        SVC_OIDC_ISSUER_URL: provider.issuer,
        SVC_OIDC_CLIENT_ID: CLIENT,
      });
    });
    after(async () => {
      await console?.stop();
      await provider?.stop();
    });

    it('redirects to the provider and back, and exchanges the code for a key', async () => {
      const { page } = await console.visit();
      await page.getByRole('button', { name: 'Sign in with the identity provider' }).click();
      await page.waitForURL(/\/interaction\//);
      await page.locator('input[name=login]').fill('alice');
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      await page.getByText('oidc:alice').first().waitFor();
      expect(page.url()).to.equal(`${console.served.url}/console/`);
      expect(await page.evaluate('sessionStorage.getItem("console.signing-in")')).to.equal(null);
    });

    it('reports that it requires HTTPS on an unencrypted page', async () => {
      const { page } = await console.visit();
      await page.addInitScript({ content: 'Object.defineProperty(window, "isSecureContext", { value: false })' });
      await page.reload();
      await page.getByRole('button', { name: 'Sign in with the identity provider' }).click();
      await page.getByRole('alert').getByText('Open the https address of the node').waitFor();
    });

    it('refuses a code that this tab did not request', async () => {
      const { page } = await console.visit();
      await page.goto(`${console.served.url}/console/signed-in?code=stolen&state=guessed`);
      await page.getByText('This is not the sign-in that was begun in this tab.').waitFor();
      expect(page.url()).to.equal(`${console.served.url}/console/`);
    });

    it('shows the reason when the provider refuses the person', async () => {
      const { page } = await console.visit();
      await page.evaluate(
        `sessionStorage.setItem('console.signing-in', JSON.stringify({ state: 's', verifier: 'v', issuer: 'i' }))`,
      );
      await page.goto(`${console.served.url}/console/signed-in?error=access_denied&state=s`);
      await page.getByText('The identity provider did not sign you in.').waitFor();
    });
  });
}
