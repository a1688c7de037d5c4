import { expect } from 'chai';
import type { Page } from '../../kit/browser.ts';
import { describeConsole } from './describe-console.ts';
import { button, fillIn, press } from './reader-steps.ts';

const PHONE = { width: 390, height: 844 };

describeConsole('the console on a phone', {}, (running) => {
  before(async () => {
    for (const v of ['May', 'June']) {
      await running().served.ask('POST', '/v1/facts', {
        entity: 'shop:1',
        relation: 'memory:opens',
        value: { type: 'string', v },
        source: `agent:of-${v}`,
        scope: 'company',
        confidence: 0.8,
      });
    }
  });

  const topOf = (page: Page, selector: string): Promise<number> =>
    page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`);

  it('opens its navigation by a button, which closes by keyboard too and retains the focus', async () => {
    const { page, open } = await running().enter(running().served.adminKey, { viewport: PHONE });
    await open('facts');
    const menu = button(page, 'Screens');
    await menu.press('Enter');
    await page.getByRole('link', { name: 'Contradictions', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('nav').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.equal('Screens');
    await menu.click();
    await page.getByRole('link', { name: 'Contradictions', exact: true }).click();
    await page.getByRole('heading', { name: 'Contradictions', exact: true }).waitFor();
    await page.locator('nav').waitFor({ state: 'hidden' });
  });

  it('shows recalled facts before the settings, which open on request', async () => {
    const { page, open } = await running().enter(running().served.adminKey, { viewport: PHONE });
    await open('recall');
    await fillIn(page, { Question: 'When does the shop open?' });
    await press(page, 'Recall');
    await page.locator('.recall-summary').waitFor();
    expect(await topOf(page, '.recall-summary')).to.be.within(0, PHONE.height);
    expect(await page.getByLabel('Budget in tokens').isVisible()).to.equal(false);
    await press(page, 'Compare with other settings');
    await page.getByLabel('Budget in tokens').nth(1).waitFor();
  });

  it('folds the filters of a list, so that its first row is in view, and opens them by a press', async () => {
    const { page, open } = await running().enter(running().served.adminKey, { viewport: PHONE });
    await open('facts');
    const fields = [
      page.getByRole('button', { name: 'Add filter' }),
      page.getByLabel('These sources', { exact: true }),
    ];
    for (const field of fields) expect(await field.isVisible()).to.equal(false);
    expect(await topOf(page, '.row')).to.be.below(PHONE.height);
    await page.getByText('Filters', { exact: true }).click();
    await page.getByText('Narrow by time and names').click();
    for (const field of fields) await field.waitFor();
    await open('audit');
    await page.locator('.row').first().waitFor();
    expect(await page.getByRole('button', { name: 'Add filter' }).isVisible()).to.equal(false);
  });

  it('shows a contradiction alone, and leads back to the list', async () => {
    const { page, open } = await running().enter(running().served.adminKey, { viewport: PHONE });
    await open('contradictions');
    await page.getByText('2 rivals').click();
    await page.locator('.rival').nth(1).waitFor();
    expect(await page.getByText('2 rivals').isVisible()).to.equal(false);
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByText('2 rivals').waitFor();
  });
});
