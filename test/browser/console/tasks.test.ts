import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { describeConsole, expectWholeInEachLook } from './describe-console.ts';
import { countClicks, fillIn, isTold, press } from './reader-steps.ts';

const DAY_MS = 86_400_000;

describeConsole('everyday tasks in the console', {}, (running) => {
  const say = async (fact: Readonly<Record<string, unknown>>): Promise<string> => {
    const { status, body } = await running().served.ask('POST', '/v1/facts', {
      ...{ relation: 'memory:says', source: 'agent:scribe', scope: 'company', confidence: 0.9 },
      ...fact,
      value: { type: 'text', v: fact['v'] },
      v: undefined,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  };
  const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

  it('find what an agent was told last week: one click', async () => {
    await say({ entity: 'tide:1', v: 'high water is at noon', timestamp: daysAgo(20) });
    await say({ entity: 'tide:2', v: 'the pilot is called Ruth', timestamp: daysAgo(6) });
    await say({ entity: 'tide:3', v: 'the lamp is broken', timestamp: daysAgo(1) });
    await say({ entity: 'tide:4', v: 'the nets are dry', timestamp: daysAgo(6), source: 'agent:mason' });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts');
    const clicks = await countClicks(page);
    await page.getByLabel('These sources', { exact: true }).click();
    await page.keyboard.type('agent:scribe');
    await page.keyboard.press('Tab');
    await fillIn(page, { 'Of a time after': daysAgo(9).slice(0, 19), 'Of a time before': daysAgo(3).slice(0, 19) });
    await page.getByText('the pilot is called Ruth').first().waitFor();
    await comesTrue(async () => (await page.locator('.row').count()) === 1);
    expect(await clicks()).to.equal(1);
  });

  it('end the access of an agent: three clicks, and its next request is refused', async () => {
    const key = await running().keyFor('agent:leaver', ['read', 'write']);
    await running().keyFor('agent:stayer', ['read']);
    const me = () => running().served.ask('GET', '/v1/me', undefined, key);
    expect((await me()).status).to.equal(200);
    const { page, open } = await running().enter(running().served.adminKey);
    await open('keys');
    const table = page.getByRole('table', { name: 'All keys' });
    await table.locator('tr:has-text("stayer")').waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('searchbox', { name: 'Search entities and descriptions' }).click();
    await page.keyboard.type('leaver');
    await table.locator('tr:has-text("stayer")').waitFor({ state: 'detached' });
    await table.getByRole('button', { name: /^Revoke/ }).click();
    await press(page.getByRole('dialog', { name: /^Revoke the key/ }), 'Revoke');
    await isTold(page, 'is revoked.');
    expect(await clicks()).to.equal(3);
    expect((await me()).status).to.equal(401);
  });

  it('see why a fact was not recalled: two clicks', async () => {
    await say({ entity: 'lighthouse:south', relation: 'memory:keeper', v: 'Ruth keeps the lighthouse' });
    await say({
      entity: 'lighthouse:south',
      relation: 'memory:keeper',
      v: 'Tom keeps the lighthouse',
      source: 'user:tom',
    });
    await comesTrue(async () => {
      const { body } = await running().served.ask('POST', '/v1/recall', {
        query: 'Who keeps the lighthouse?',
        token_budget: 1_000,
      });
      return body.omitted.contradicted > 0;
    });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('recall');
    const clicks = await countClicks(page);
    await fillIn(page, { Question: 'Who keeps the lighthouse?' });
    await press(page, 'Recall');
    await press(page, 'Which ones?');
    const one = page.locator('.left-out-facts li:has-text("Tom keeps the lighthouse")');
    await one.getByText('It is in an open contradiction.').waitFor();
    expect(await clicks()).to.equal(2);
  });

  it('import a chat export: two clicks after its file is chosen, and four to take it back', async () => {
    const message = (id: string, role: string, text: string, parent: string | null) => ({
      id,
      message: { id, author: { role }, create_time: 1_700_000_000, content: { content_type: 'text', parts: [text] } },
      parent,
      children: [],
    });
    const mapping = {
      a: message('a', 'user', 'Where is the ferry?', null),
      b: message('b', 'assistant', 'At the east pier', 'a'),
    };
    const chat = { id: 'chat-1', title: 'The ferry', create_time: 1_700_000_000, mapping, current_node: 'b' };
    const buffer = Buffer.from(JSON.stringify([chat]));
    const total = async (): Promise<number> =>
      (await running().served.ask('GET', '/v1/facts?sources=import:*')).body.total;
    const visit = await running().enter(running().served.adminKey);
    const { page, open } = visit;
    await open('import');
    const clicks = await countClicks(page);
    await page
      .getByLabel('File of the export', { exact: true })
      .setInputFiles({ name: 'conversations.json', mimeType: 'application/json', buffer });
    await press(page, 'Try it');
    await page.getByText('Items read: 3 = 3 to be stored').waitFor();
    expect(await total(), 'a trial stores nothing').to.equal(0);
    await press(page, 'Import');
    await page.getByText('Items read: 3 = 3 stored').waitFor();
    expect([await clicks(), await total()]).to.deep.equal([2, 3]);
    expect(await visit.seriousFindings()).to.deep.equal([]);
    await open('keys');
    await open('import');
    await page.getByText('Items read: 3 = 3 stored').waitFor();
    await expectWholeInEachLook(running(), 'import');
    const undoClicks = await countClicks(page);
    await page.getByRole('link', { name: 'See the facts of these sources' }).click();
    await page.getByText('At the east pier').first().waitFor();
    await page.getByLabel('Select all that are listed').click();
    await press(page, 'Retract');
    const form = page.locator('dialog[open]');
    await form.locator('button.danger').click();
    await comesTrue(async () => (await total()) === 0);
    expect(await undoClicks()).to.equal(4);
  });

  it('import: see the fault of a file, on a phone too', async () => {
    const visit = await running().enter(running().served.adminKey, { viewport: { width: 390, height: 844 } });
    const { page, open } = visit;
    await open('import');
    await page
      .getByLabel('File of the export', { exact: true })
      .setInputFiles({ name: 'noise.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 1]) });
    await press(page, 'Try it');
    await page.locator('main').getByRole('alert').getByText('no export of a known format').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).to.equal(false);
    expect(await visit.seriousFindings()).to.deep.equal([]);
  });
});
