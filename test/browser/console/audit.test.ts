import { expect } from 'chai';
import { describeConsole, expectWholeInEachLook } from './describe-console.ts';
import { button, dialog, press } from './reader-steps.ts';

const RECALLS = 4;

describeConsole(
  'use and audit in the console',
  {
    async fill({ served }) {
      const value = { type: 'string', v: 'an old oak' };
      const fact = { entity: 'tree:1', relation: 'memory:kind', value, source: 'agent:scribe', scope: 'company' };
      expect((await served.ask('POST', '/v1/facts', fact)).status).to.equal(201);
      for (let at = 0; at < RECALLS; at += 1) {
        expect((await served.ask('POST', '/v1/recall', { query: 'oak', token_budget: 100 })).status).to.equal(200);
      }
    },
  },
  (running) => {
    it('puts like entries into one row, which opens, and says which facts were recalled', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('audit?event_type=fact_read');
      await page.locator('.rows').getByText(`${RECALLS} times`).waitFor();
      await page.locator('.rows').getByText(`${RECALLS} facts recalled`).waitFor();
      expect(await button(page, 'Recalled facts').count()).to.equal(0);
      await press(page, 'Show each: fact_read agent:admin');
      await button(page, 'Recalled facts').first().click();
      const shown = await dialog(page, 'Recalled facts');
      await shown.getByText('an old oak').waitFor();
      await page.keyboard.press('Escape');
      await press(page, 'Hide: fact_read agent:admin');
      await button(page, 'Recalled facts').first().waitFor({ state: 'detached' });
    });

    it('sums up use by day, agent and key, and the requests of the node', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('audit');
      await page.getByText('Use over time').click();
      const use = page.getByRole('table', { name: 'Use over time' });
      await use.getByText('agent:admin').first().waitFor();
      expect(await use.locator('td[data-label="Recalls"]').allTextContents()).to.include(`${RECALLS}`);
      await page
        .getByRole('table', { name: 'Requests to the whole node since its start' })
        .getByText('reads of facts')
        .waitFor();
      await press(page, 'Last 30 days');
      await use.getByText('agent:admin').first().waitFor();
    });

    it('shows another reader only own use, and nothing of the whole node', async () => {
      const { page, open } = await running().enter(await running().keyFor('agent:reader', ['read']));
      await open('audit');
      await page.getByText('Use over time').click();
      await page.getByText('Nothing is on record').first().waitFor();
      expect(await page.getByText('Requests to the whole node since its start').count()).to.equal(0);
      expect(await page.locator('main').textContent()).to.not.contain('agent:admin');
    });

    it('fits each size and look, without a serious accessibility finding', async () => {
      await expectWholeInEachLook(running(), 'audit', async ({ page }) => {
        await page.getByText('Use over time').click();
        await page.getByRole('table', { name: 'Use over time' }).waitFor();
      });
    });
  },
);
