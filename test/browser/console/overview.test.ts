import { expect } from 'chai';
import type { Page } from '../../kit/browser.ts';
import { describeConsole } from './describe-console.ts';

const VIEWS = [
  { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

describeConsole('the overview of the console', {}, (running) => {
  const titles = (page: Page): Promise<string[]> => page.locator('.overview-cards h2').allTextContents();
  const spills = 'document.documentElement.scrollWidth > document.documentElement.clientWidth + 1';

  it('offers a demonstration, a connection and an import on an empty node, in place of a chart', async () => {
    for (const view of VIEWS) {
      const { page, open, seriousFindings } = await running().enter(running().served.adminKey, view);
      await open('overview');
      for (const command of ['demo', 'connect', 'import-from --list']) {
        await page.getByText(`fact-memory-node ${command}`, { exact: true }).waitFor();
      }
      expect(await page.locator('.counts-line').count()).to.equal(0);
      expect(await page.evaluate(spills)).to.equal(false);
      expect(await seriousFindings()).to.deep.equal([]);
    }
  });

  it('shows cards that need somebody first, and the chart once there are facts', async () => {
    for (const [at, v] of ['May', 'June'].entries()) {
      const { status } = await running().served.ask('POST', '/v1/facts', {
        entity: 'shop:1',
        relation: 'memory:opens',
        value: { type: 'string', v },
        source: `agent:scribe-${at}`,
        scope: 'company',
      });
      expect(status).to.equal(201);
    }
    for (const view of VIEWS) {
      const { page, open, seriousFindings } = await running().enter(running().served.adminKey, view);
      await open('overview');
      await page.locator('.counts-line').waitFor();
      expect((await titles(page)).slice(0, 2)).to.deep.equal(['Open contradictions', 'Health']);
      const needy = page.locator('.overview-card[data-needs="true"]');
      expect(await needy.count()).to.equal(1);
      await needy.getByText('Needs attention').waitFor();
      expect(await page.evaluate(spills)).to.equal(false);
      expect(await seriousFindings()).to.deep.equal([]);
    }
  });

  it('shows the number of recalls, and percentiles only from 20 recalls on', async () => {
    const recall = async (times: number): Promise<void> => {
      for (let each = 0; each < times; each += 1) {
        await running().served.ask('POST', '/v1/recall', { query: 'shop', token_budget: 100 });
      }
    };
    const { page, open } = await running().visit(running().served.adminKey);
    await recall(19);
    await open('overview');
    await page.getByText('19 recalls since the start.').waitFor();
    await page.getByText('The node shows percentiles from 20 recalls on.').waitFor();
    await recall(1);
    await open('overview');
    await page.getByText(/for half of the recalls/).waitFor();
  });
});
