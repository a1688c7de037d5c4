import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { describeConsole } from './describe-console.ts';
import { press } from './reader-steps.ts';

describeConsole('an entity in the console', {}, (running) => {
  before(async () => {
    const { ask } = running().served;
    const facts = [
      { relation: 'memory:role', value: { type: 'string', v: 'gardener' } },
      { relation: 'memory:works-on', value: { type: 'ref', v: 'project:lantern' } },
      { relation: 'memory:motto', value: { type: 'string', v: 'slow and steady' } },
    ];
    for (const fact of facts) {
      const { status } = await ask('POST', '/v1/facts', {
        entity: 'user:alice',
        source: 'agent:scribe',
        scope: 'company',
        confidence: 0.9,
        ...fact,
      });
      expect(status).to.equal(201);
    }
  });

  it('shows the facts known at each step of a slider, and returns to the present', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('entities?uri=user:alice');
    const facts = page.locator('main');
    await facts.getByText('slow and steady').first().waitFor();
    const slider = page.getByLabel('Steps of what became known');
    await slider.press('Home');
    await page.getByText('You see what was known then:').waitFor();
    await page.waitForURL(/as_of=/);
    await facts.getByText('slow and steady').first().waitFor({ state: 'detached' });
    await facts.getByText('gardener').first().waitFor();
    await press(page, 'Later');
    await page.getByRole('list', { name: 'Neighbours' }).getByText('project:lantern').waitFor();
    expect(await facts.getByText('slow and steady').count()).to.equal(0);
    await press(page, 'Back to now');
    await facts.getByText('slow and steady').first().waitFor();
    expect(page.url()).to.not.contain('as_of');
  });

  it('is drawn with its neighbours, which a list of links names too', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('entities?uri=user:alice');
    await page.locator('.graph canvas').first().waitFor();
    await press(page, 'Larger');
    await page.getByRole('list', { name: 'Neighbours' }).getByRole('link', { name: 'project:lantern' }).click();
    await page.waitForURL(/uri=project(:|%3A)lantern/);
    await page.getByRole('list', { name: 'Neighbours' }).getByText('user:alice').waitFor();
  });

  it('is found by words, and opened by its name', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('entities');
    const search = page.getByLabel('Words, or the name of an entity');
    await search.fill('steady motto');
    await page.getByRole('heading', { name: 'Entities that match' }).waitFor();
    await page.locator('.found').getByText('user:alice').first().waitFor();
    await search.fill('user:nobody');
    await search.press('Enter');
    await page.getByText('Nothing is known of this entity').waitFor();
  });

  it('is listed with its kind and its number of facts, in an order of choice', async () => {
    const { ask } = running().served;
    const usual = { relation: 'memory:note', source: 'agent:scribe', scope: 'company' };
    const lantern = { ...usual, entity: 'project:lantern', value: { type: 'string', v: 'lit' } };
    expect((await ask('POST', '/v1/facts', lantern)).status).to.equal(201);
    const { page, open } = await running().enter(running().served.adminKey);
    await open('entities');
    const kinds = page.getByRole('group', { name: 'Kinds of entities' });
    await kinds.getByRole('button', { name: 'project 1' }).click();
    await page.locator('.found').getByText('user:alice').first().waitFor({ state: 'detached' });
    await page.locator('.found').getByText('project:lantern').first().waitFor();
    expect(await page.locator('.found > li').count()).to.equal(1);
    await page.waitForURL(/kind=project/);
    await kinds.getByRole('button', { name: 'All 2' }).click();
    await page.getByLabel('Order', { exact: true }).selectOption({ label: 'by name' });
    const lists = async (...names: string[]): Promise<void> => {
      for (const [at, name] of names.entries()) {
        await page.locator('.found > li').nth(at).locator('.fact-entity').getByText(name, { exact: true }).waitFor();
      }
      expect(await page.locator('.found > li').count()).to.equal(names.length);
    };
    await lists('project:lantern', 'user:alice');
    await page.getByLabel('Order', { exact: true }).selectOption({ label: 'most facts first' });
    await lists('user:alice', 'project:lantern');
    await page.locator('.found').getByText('3 facts', { exact: true }).waitFor();
  });

  it('counts among all entities of its kind, while the list shows the newest', async () => {
    const { ask } = running().served;
    const usual = { relation: 'memory:note', source: 'agent:scribe', scope: 'company' };
    const value = { type: 'string', v: 'sings' };
    for (let at = 0; at < 1_001; at += 91) {
      const some = Array.from({ length: 91 }, (_, n) => ({ ...usual, entity: `bird:${at + n}`, value }));
      expect((await ask('POST', '/v1/facts/batch', some)).body.rejected).to.equal(0);
    }
    const { page, open } = await running().enter(running().served.adminKey);
    await open('entities');
    const kinds = page.getByRole('group', { name: 'Kinds of entities' });
    await kinds.getByRole('button', { name: 'user 1' }).click();
    await page.locator('.found').getByText('bird:').first().waitFor({ state: 'detached' });
    await page.locator('.found').getByText('user:alice').first().waitFor();
    expect(await page.locator('.found > li').count()).to.equal(1);
    await kinds.getByRole('button', { name: 'bird 1,000+' }).click();
    await page.locator('.found').getByText('bird:1000').first().waitFor();
    await page.getByText('follow from the 500 newest facts').waitFor();
  });

  it('takes two lines at most for a long name or value in a list', async () => {
    const value = { type: 'string', v: 'a long sentence that goes on and on, '.repeat(40) };
    const fact = { entity: `user:${'long-'.repeat(60)}`, relation: 'memory:motto', source: 'agent:scribe', value };
    expect((await running().served.ask('POST', '/v1/facts', { ...fact, scope: 'company' })).status).to.equal(201);
    const { page, open } = await running().enter(running().served.adminKey, { viewport: { width: 390, height: 844 } });
    const tallest =
      'Math.max(...[...document.querySelectorAll(".fact .shown, .found .shown")].map((each) => ' +
      'each.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(each).lineHeight)))';
    for (const screen of ['facts', 'entities']) {
      await open(screen);
      await page.getByText('a long sentence').first().waitFor();
      expect(await page.evaluate<number>(tallest), screen).to.be.below(2.5);
    }
  });

  it('has a card that is refreshed on request', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('entities?uri=user:alice');
    const card = page.locator('.entity-card');
    await card.getByText(/^From \d+ facts?,/).waitFor();
    const made = () => card.locator('time').first().getAttribute('datetime');
    const before = await made();
    await press(page, 'Refresh');
    await comesTrue(async () => (await made()) !== before);
  });
});
