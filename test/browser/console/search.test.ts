import { expect } from 'chai';
import type { Page } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { describeConsole } from './describe-console.ts';
import { button, countClicks, dialog, press } from './reader-steps.ts';

const SIZES = [
  ['a wide screen', { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' }],
  ['a phone in the dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const;

describeConsole('the search of the console', {}, (running) => {
  before(async () => {
    const { ask } = running().served;
    const { body: garden } = await ask('POST', '/v1/gardens', { name: 'Vault', slug: 'vault', scope: 'company' });
    for (const [entity, v, place] of [
      ['user:alice', 'grows tulips on the roof', {}],
      ['project:lantern', 'lights the northern harbour', {}],
      ['project:vault', 'keeps the salaries', { garden_id: garden.garden_id }],
    ] as const) {
      const fact = { entity, relation: 'memory:does', value: { type: 'string', v }, source: 'agent:scribe' };
      const { status } = await ask('POST', '/v1/facts', { ...fact, scope: 'company', confidence: 0.9, ...place });
      expect(status).to.equal(201);
    }
  });

  const match = (page: Page, group: string, name: string | RegExp) =>
    page.getByRole('group', { name: group, exact: true }).getByRole('option', { name });
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.id');

  it('opens an entity, a fact, a screen and an action by keys alone', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('overview');
    const clicks = await countClicks(page);
    await page.keyboard.press('Control+K');
    await dialog(page, 'Search');
    await page.keyboard.type('project:lan');
    await match(page, 'Entities', 'project:lantern').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'project:lantern' }).waitFor();
    expect(await focused(page)).to.equal('content');
    await page.keyboard.press('/');
    await page.keyboard.type('tulips');
    await match(page, 'Facts', /tulips on the roof/).waitFor();
    for (let step = 0; step < 20; step += 1) {
      const chosen = await page.locator('[role="option"][aria-selected="true"]').textContent();
      if (chosen?.includes('tulips on the roof')) break;
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(/facts\?id=/);
    await page.getByText('grows tulips on the roof').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('contradict');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Contradictions', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('assert');
    await page.keyboard.press('Enter');
    await dialog(page, 'Assert a fact');
    expect(page.url()).to.not.contain('do=');
    expect(await clicks()).to.equal(0);
  });

  it('finds nothing that the key may not see', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:guest', ['read']));
    await open('overview');
    await page.keyboard.press('/');
    await page.keyboard.type('project:');
    await match(page, 'Entities', 'project:lantern').waitFor();
    expect(await match(page, 'Entities', 'project:vault').count()).to.equal(0);
    const offered = await page.getByRole('option').allTextContents();
    expect(offered).to.not.include('Assert a fact').and.not.include('Settings');
  });

  it('lists the keys after a question mark, and switches single keys off', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('overview');
    await page.keyboard.press('?');
    const keys = await dialog(page, 'Keys of the console');
    await keys.getByText('Ctrl K').waitFor();
    await keys.getByLabel('Keys without Ctrl').click();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.press('?');
    expect(await page.locator('dialog').count()).to.equal(0);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('keys of');
    await page.keyboard.press('Enter');
    await (await dialog(page, 'Keys of the console')).getByLabel('Keys without Ctrl').click();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await dialog(page, 'Search');
  });

  it('lists only keys that work for the reader', async () => {
    const listedFor = async (key: string) => {
      const { page, open } = await running().enter(key);
      await open('overview');
      await page.keyboard.press('?');
      return (await dialog(page, 'Keys of the console')).locator('kbd').allTextContents();
    };
    const all = await listedFor(running().served.adminKey);
    expect(all).to.include.members(['Ctrl K', '/', '?', 'Shift', '1 – 9', 'n', 'x', 'j', 'k']);
    const read = await listedFor(await running().keyFor('agent:guest', ['read']));
    expect(all.filter((key) => !read.includes(key))).to.deep.equal(['1 – 9', 'n']);
  });

  it('types a slash into a field, and opens no search there', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts');
    await page.getByRole('searchbox').first().press('/');
    expect(await page.getByRole('searchbox').first().inputValue()).to.equal('/');
    expect(await page.locator('dialog').count()).to.equal(0);
  });

  for (const [title, options] of SIZES) {
    it(`fits ${title}, without an accessibility finding`, async () => {
      const visit = await running().enter(running().served.adminKey, options);
      const { page, open } = visit;
      await open('overview');
      const clicks = await countClicks(page);
      await press(page, 'Search');
      await page.keyboard.type('harbour');
      await match(page, 'Facts', /northern harbour/).waitFor();
      expect(await visit.seriousFindings()).to.deep.equal([]);
      const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(width)).to.be.at.most(1);
      await match(page, 'Entities', 'project:lantern').click();
      await page.getByRole('heading', { name: 'project:lantern' }).waitFor();
      expect(await clicks()).to.equal(2);
      // Keys are for the search as long as it is open.
      await page.locator('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await dialog(page, 'Keys of the console');
      expect(await visit.seriousFindings()).to.deep.equal([]);
      await press(page, 'Close');
      await comesTrue(async () => (await page.locator('dialog').count()) === 0);
      await button(page, 'Search').waitFor();
    });
  }
});
