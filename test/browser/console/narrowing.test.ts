import { expect } from 'chai';
import type { Page } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { settled } from './console-browser.ts';
import { describeConsole } from './describe-console.ts';
import { button, countClicks, fillIn, press } from './reader-steps.ts';

const SIZES = [
  ['a wide screen', { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' }],
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
] as const;

describeConsole('facts that the console narrows', {}, (running) => {
  before(async () => {
    for (const [entity, v, source, valid_from] of [
      ['project:harbour', 'the harbour opens in spring', 'agent:scribe', '2031-03-01T00:00:00Z'],
      ['project:harbour-wall', 'the harbour wall is mended', 'agent:mason', '2031-06-01T00:00:00Z'],
      ['user:alice', 'lives by the harbour', 'agent:scribe-two', '2031-09-01T00:00:00Z'],
    ]) {
      const fact = { entity, relation: 'memory:says', value: { type: 'string', v }, source, scope: 'company' };
      const { status } = await running().served.ask('POST', '/v1/facts', { ...fact, confidence: 0.9, valid_from });
      expect(status).to.equal(201);
    }
  });

  const says = (page: Page, ...expected: readonly string[]): Promise<void> =>
    comesTrue(async () => {
      const texts = await page.locator('.row').allTextContents();
      const known = ['opens in spring', 'is mended', 'lives by'];
      const found = known.filter((part) => texts.some((text) => text.includes(part)));
      return JSON.stringify(found) === JSON.stringify(expected);
    });

  it('are listed by times and names in the address, until a reset', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts?include_expired=true');
    const clicks = await countClicks(page);
    const sources = page.getByLabel('These sources', { exact: true });
    await sources.click();
    await page.keyboard.type('agent:scribe*');
    await page.keyboard.press('Enter');
    await page.keyboard.type('agent:nobody');
    await page.keyboard.press('Tab');
    await page.waitForURL(/sources=/);
    await says(page, 'opens in spring', 'lives by');
    await page.getByLabel('Of a time before', { exact: true }).fill('2031-05-01T00:00:00');
    await page.waitForURL(/before=/);
    await says(page, 'opens in spring');
    expect(await clicks()).to.equal(1);
    await page.reload();
    await says(page, 'opens in spring');
    expect(await sources.inputValue()).to.equal('agent:scribe*\nagent:nobody');
    await press(page, 'Reset');
    await says(page, 'opens in spring', 'is mended', 'lives by');
    expect(page.url()).to.not.match(/sources|before/);
  });

  it('are listed by names during a search, and the refusal of a beginning that is none is shown', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts?q=harbour&entities=user:*&include_expired=true');
    await settled(page);
    expect(await page.locator('.chip.idle').count()).to.equal(0);
    await open('facts?after=2031-06-01T00:00:00Z&before=2031-01-01T00:00:00Z');
    await page.locator('main').getByRole('alert').getByText('after').first().waitFor();
  });

  for (const [title, options] of SIZES) {
    it(`are recalled by names on ${title}, in fields that fit`, async () => {
      const visit = await running().enter(running().served.adminKey, options);
      const { page, open } = visit;
      await open('recall');
      const clicks = await countClicks(page);
      await fillIn(page, { Question: 'Which harbour?' });
      const isPhone = options.viewport.width < 400;
      if (isPhone) await page.getByText('How it is asked').click();
      const names = page.getByLabel('These entities', { exact: true });
      expect(await names.isVisible()).to.equal(!isPhone);
      if (isPhone) await page.getByText('Narrow by time and names').click();
      await names.fill('project:*');
      await press(page, 'Recall');
      await page.waitForURL(/entities=project/);
      await page.locator('.recall-summary').waitFor();
      expect(await clicks()).to.equal(isPhone ? 3 : 1);
      expect(await page.locator('.recall-result').getByText('lives by').count()).to.equal(0);
      await page.getByText('narrowed', { exact: true }).first().waitFor();
      expect(await visit.seriousFindings()).to.deep.equal([]);
      const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(width)).to.be.at.most(1);
      await open('facts?entities=project:*');
      expect(await button(page, 'Reset').isVisible()).to.equal(!isPhone);
      expect(await visit.seriousFindings()).to.deep.equal([]);
      expect(await page.evaluate(width)).to.be.at.most(1);
    });
  }
});
