import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { button, countClicks, press } from './reader-steps.ts';

const SIZES = [
  ['a wide screen', { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' }],
  ['a phone in the dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const;

describeConsole('the console beside an agent that writes', {}, (running) => {
  before(async () => {
    await say('shop:1', 'opens in May');
  });

  const say = async (entity: string, v: string): Promise<void> => {
    const fact = { entity, relation: 'memory:opens', value: { type: 'string', v }, source: 'agent:scribe' };
    const { status } = await running().served.ask('POST', '/v1/facts', { ...fact, scope: 'company', confidence: 0.9 });
    expect(status).to.equal(201);
  };

  it('shows new facts in the list and on the page of their entity', async () => {
    const list = await running().enter(running().served.adminKey);
    await list.open('facts');
    await list.page.locator('.rows').getByText('opens in May').first().waitFor();
    const one = await running().enter(running().served.adminKey);
    await one.open('entities?uri=shop:2');
    await say('shop:2', 'opens in June');
    await list.page.locator('.rows').getByText('opens in June').first().waitFor();
    await one.page.locator('main').getByText('opens in June').first().waitFor();
  });

  it('shows a new contradiction', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('contradictions');
    await say('shop:3', 'opens in June');
    await say('shop:3', 'opens in July');
    await page.locator('main').getByText('shop:3').first().waitFor();
  });

  it('pauses after one click, and shows the facts of the meantime after another', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts');
    const clicks = await countClicks(page);
    await press(page, 'Live');
    expect(await button(page, 'Live').getAttribute('aria-pressed')).to.equal('false');
    await say('shop:4', 'opens in August');
    await press(page, 'Live');
    await page.locator('.rows').getByText('opens in August').first().waitFor();
    expect(await clicks()).to.equal(2);
  });

  for (const [title, options] of SIZES) {
    it(`offers the switch on ${title}, without an accessibility finding`, async () => {
      const visit = await running().enter(running().served.adminKey, options);
      for (const screen of ['facts', 'entities?uri=shop:1', 'contradictions', 'jobs']) {
        await visit.open(screen);
        await button(visit.page, 'Live').waitFor();
        expect(await visit.seriousFindings(), screen).to.deep.equal([]);
        const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await visit.page.evaluate(width), screen).to.be.at.most(1);
      }
    });
  }
});
