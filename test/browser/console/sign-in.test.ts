import { expect } from 'chai';
import { isBrowserInstalled } from '../../kit/browser.ts';
import { type ConsoleBrowser, settled, startConsoleBrowser } from './console-browser.ts';

/** Answers for the node, while it is busy, to the request that tells who the reader is. */
const REFUSES_READER = `window.isBusy = true; const asked = window.fetch; window.fetch = (to, ...more) =>
  !window.isBusy || !String(to.url ?? to).endsWith('/v1/me') ? asked(to, ...more) : Promise.resolve(new Response(
    JSON.stringify({ status: 503, code: 'unavailable', title: 'Busy', detail: 'the node is busy', errors: [] }),
    { status: 503, headers: { 'content-type': 'application/problem+json', 'retry-after': '90' } }));`;

if (isBrowserInstalled()) {
  describe('the sign-in of the console', function () {
    this.timeout(180_000);
    let console: ConsoleBrowser;
    before(async () => {
      console = await startConsoleBrowser();
    });
    after(() => console?.stop());

    it('requires a key, shows its owner, and keeps it out of every address', async () => {
      const { page, open, faults } = await console.visit(console.served.adminKey);
      await page.getByText('agent:admin').first().waitFor();
      expect(await page.locator('.top .brand').textContent()).to.equal('Fact memory');
      await open('facts');
      expect(page.url()).to.equal(`${console.served.url}/console/facts`);
      expect(await page.evaluate('localStorage.length + document.cookie.length')).to.equal(0);
      expect(faults).to.deep.equal([]);
    });

    it('refuses an unknown key, with a remedy', async () => {
      const { page, seriousFindings } = await console.visit();
      expect(await seriousFindings()).to.deep.equal([]);
      await page.getByLabel('Key', { exact: true }).fill('a-key-that-nobody-has-ever-registered');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The node does not know this key').waitFor();
    });

    it('forgets the key at sign-out, and at page close if the reader chooses so', async () => {
      const { page } = await console.visit(console.served.adminKey);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('sessionStorage.length')).to.equal(0);
      await page.getByLabel('Keep me signed in', {}).click();
      await page.getByLabel('Key', { exact: true }).fill(console.served.adminKey);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    it('requires a key again when the current one is revoked', async () => {
      const key = await console.keyFor('agent:leaver', ['read']);
      const { page } = await console.visit(key);
      // A pending request would otherwise be refused too early.
      await settled(page);
      const { body: keys } = await console.served.ask('GET', '/v1/auth/keys', undefined, key);
      await console.served.ask('DELETE', `/v1/auth/keys/${keys[0].id}`);
      const facts = page.getByRole('link', { name: 'Facts', exact: true });
      // The overview may have sent a request itself, and then the link is gone.
      await Promise.any([facts.click(), page.getByRole('heading', { name: 'Sign in' }).waitFor()]);
      await page.getByText('The key no longer works').waitFor();
    });

    it('says why a reload does not go on, and goes on with one press', async () => {
      const { page } = await console.visit(console.served.adminKey);
      await page.addInitScript({ content: REFUSES_READER });
      await page.reload();
      await page.getByText('the node is busy').waitFor();
      expect(await page.getByText('identity provider').count()).to.equal(0);
      await page.evaluate('window.isBusy = false');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    });
  });
}
