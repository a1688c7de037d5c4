import { expect } from 'chai';
import { describeConsole, expectWholeInEachLook } from './describe-console.ts';
import { choose, press } from './reader-steps.ts';

const DAY_MS = 86_400_000;

describeConsole(
  'the timeline in the console',
  {
    async fill({ served }) {
      const say = async (source: string, v: string, members: object = {}): Promise<void> => {
        const value = { type: 'string', v };
        const fact = { entity: `shop:${v}`, relation: 'memory:opens', value, source, scope: 'company', ...members };
        const { status, body } = await served.ask('POST', '/v1/facts', fact);
        expect(status, JSON.stringify(body)).to.equal(201);
      };
      // Instants of whole days, so that no midnight comes between two of them.
      const daysAgo = (days: number) => ({ timestamp: new Date(Date.now() - days * DAY_MS).toISOString() });
      const [may, june] = [daysAgo(3), daysAgo(1)];
      await say('agent:scribe', 'May', may);
      await say('agent:scribe', 'June', june);
      await say('agent:clerk', 'July', june);
      await say('agent:clerk', 'August', june);
    },
  },
  (running) => {
    it('counts facts by day and agent, and shows one agent alone', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('timeline');
      const days = page.getByRole('table', { name: 'By day and agent' });
      await days.getByText('agent:clerk').waitFor();
      await page.getByText('4 facts counted.').waitFor();
      expect(await days.locator('tbody tr').count()).to.equal(2);
      expect(await days.locator('.tally').allTextContents()).to.deep.equal(['3', '1']);
      await choose(page, 'Agent', 'agent:clerk (2)');
      expect(await days.locator('.tally').allTextContents()).to.deep.equal(['2']);
    });

    it('compares two moments, and each day with its end', async () => {
      const { ask } = running().served;
      const gone = { entity: 'shop:June', relation: 'memory:opens', source: 'agent:scribe', scope: 'company' };
      const since = new Date().toISOString();
      await ask('POST', '/v1/facts', { ...gone, confidence: 0, value: { type: 'string', v: 'June' } });
      const fresh = { entity: 'shop:new', relation: 'memory:opens', source: 'agent:scribe', scope: 'company' };
      await ask('POST', '/v1/facts', { ...fresh, value: { type: 'string', v: 'September' } });
      const { page, open } = await running().enter(running().served.adminKey);
      await open(`timeline?since=${since}`);
      await page.getByRole('region', { name: 'Held only later' }).getByText('September').first().waitFor();
      await page.getByRole('region', { name: 'Held only earlier' }).getByText('June').first().waitFor();
      await page.getByRole('table', { name: 'By day and agent' }).getByRole('link').first().click();
      await page.waitForURL(/since=\d{4}-\d{2}-\d{2}T00/);
      await page.getByRole('region', { name: 'Held only later' }).getByText('September').first().waitFor();
      await page.getByText('Nothing ended').waitFor();
      await press(page, 'Last 24 hours');
      await page.waitForURL(/since=(?!.*T00%3A00%3A00\.000Z)/);
      await page.getByRole('region', { name: 'Held only later' }).getByText('August').first().waitFor();
    });

    it('fits each size and look, without a serious accessibility finding', async () => {
      const since = encodeURIComponent(new Date(Date.now() - DAY_MS).toISOString());
      await expectWholeInEachLook(running(), `timeline?since=${since}`);
    });
  },
);
