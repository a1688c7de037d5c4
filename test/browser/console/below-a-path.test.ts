import { expect } from 'chai';
import { isBrowserInstalled } from '../../kit/browser.ts';
import { type ConsoleBrowser, startConsoleBrowser } from './console-browser.ts';

if (isBrowserInstalled()) {
  describe('the console below a path of a proxy', function () {
    this.timeout(180_000);
    let console: ConsoleBrowser;
    before(async () => {
      console = await startConsoleBrowser({}, [], '/memory');
      const fact = { entity: 'user:alice', relation: 'memory:likes', value: { type: 'string', v: 'green tea' } };
      const { status } = await console.served.ask('POST', '/v1/facts', {
        ...fact,
        source: 'agent:scribe',
        scope: 'company',
        confidence: 0.9,
      });
      expect(status).to.equal(201);
    });
    after(() => console?.stop());

    it('signs in, follows links to facts, and opens a screen by its address', async () => {
      const { page, open, faults } = await console.visit(console.served.adminKey);
      await page.getByRole('link', { name: 'Facts', exact: true }).click();
      await page.getByText('green tea').first().waitFor();
      expect(page.url()).to.equal(`${console.served.url}/console/facts`);
      await page.reload();
      await page.getByText('green tea').first().waitFor();
      await open('recall');
      expect(page.url()).to.equal(`${console.served.url}/console/recall`);
      expect(faults).to.deep.equal([]);
    });

    it('takes readers back from an identity provider', async () => {
      const { page } = await console.visit();
      await page.goto(`${console.served.url}/console/signed-in?code=stolen&state=guessed`);
      await page.getByText('This is not the sign-in that was begun in this tab.').waitFor();
      expect(page.url()).to.equal(`${console.served.url}/console/`);
    });
  });
}
