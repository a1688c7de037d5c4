import { expect } from 'chai';
import type { Page } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { describeConsole } from './describe-console.ts';
import { choose, dialog, fillIn, isTold, offered, press } from './reader-steps.ts';

/** Holds the reply to a settlement until `letGo` is called. */
const HOLDS_SETTLING = `const asked = window.fetch; window.fetch = async (to, ...more) => {
  const reply = await asked(to, ...more);
  const isSettling = String(to.url ?? to).endsWith('/resolve');
  if (isSettling) await new Promise((resolve) => { window.letGo = resolve; });
  return reply;
};0`;

describeConsole('contradictions in the console', {}, (running) => {
  /** Asserts several values of one triple, each one second later, and returns the contradiction. */
  const contradict = async (entity: string, ...values: readonly string[]) => {
    for (const v of values) {
      await running().served.ask('POST', '/v1/facts', {
        entity,
        relation: 'memory:opens',
        value: { type: 'string', v },
        source: `agent:of-${v}`,
        scope: 'company',
        confidence: 0.8,
      });
    }
    const { conflicts } = await conflictsThatAre('unresolved');
    return conflicts.find(({ fact_a }: { fact_a: { entity: string } }) => fact_a.entity === entity);
  };
  const conflictsThatAre = async (status: string) =>
    (await running().served.ask('GET', `/v1/conflicts?status=${status}`)).body;
  const answerFor = async (entity: string) => {
    const { facts } = (await running().served.ask('GET', `/v1/facts?entity=${entity}`)).body;
    return facts.filter(({ contradicted }: { contradicted: boolean }) => !contradicted);
  };
  const rivalsOf = async (page: Page): Promise<void> => page.locator('.rival').nth(1).waitFor();

  it('are settled by keyboard alone, with a note on the reason', async () => {
    const { conflict_id: id } = await contradict('shop:1', 'May', 'June');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`contradictions?id=${id}`);
    await rivalsOf(page);
    await page.keyboard.press('2');
    await dialog(page, 'Settle the contradiction');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('The owner said so.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await isTold(page, 'Settled: memory:opens of shop:1 is');
    expect((await answerFor('shop:1')).map(({ value }: { value: { v: string } }) => value.v)).to.include('May');
    expect((await conflictsThatAre('unresolved')).conflicts).to.deep.equal([]);
    await page.getByRole('link', { name: 'Look again, or take it back' }).click();
    await page.getByRole('region', { name: 'How it was settled' }).getByText('The owner said so.').waitFor();
  });

  it('are settled by a new value, which ends the rivals by name and carries its reason', async () => {
    const { conflict_id: id } = await contradict('shop:2', 'May', 'June');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`contradictions?id=${id}`);
    await rivalsOf(page);
    await page.keyboard.press('n');
    const form = await dialog(page, 'Settle the contradiction');
    await choose(form, 'Type', 'Number');
    await fillIn(form, { Value: '9007199254740993' });
    await press(form, 'Settle it');
    await form.getByRole('alert').getByText('The value does not fit its type.').waitFor();
    await choose(form, 'Type', 'Short text');
    await fillIn(form, { Value: 'July', Note: 'They have moved.' });
    await press(form, 'Settle it');
    await isTold(page, 'Settled: memory:opens of shop:2 is');
    const [winner] = await answerFor('shop:2');
    expect(winner.value.v).to.equal('July');
    expect(winner.replaces).to.have.length(2);
    expect((await conflictsThatAre('unresolved')).conflicts).to.deep.equal([]);
    await page.getByRole('link', { name: 'Look again, or take it back' }).click();
    await page.getByRole('region', { name: 'How it was settled' }).getByText('They have moved.').waitFor();
  });

  it('are reopened when the other value is asserted again', async () => {
    const { conflict_id: id, fact_a: first } = await contradict('shop:3', 'May', 'June');
    await running().served.ask('POST', `/v1/conflicts/${id}/resolve`, { winning_fact_id: first.id });
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`contradictions?status=resolved&id=${id}`);
    await rivalsOf(page);
    await page.getByRole('button', { name: 'Say this again', exact: true }).nth(1).click();
    await press(await dialog(page, 'Say this again'), 'Say this again');
    await isTold(page, 'It was said again.');
    const { conflicts } = await conflictsThatAre('unresolved');
    expect(conflicts.map(({ fact_a }: { fact_a: { entity: string } }) => fact_a.entity)).to.deep.equal(['shop:3']);
  });

  it('are listed longest open first, and the keys j and k move between them', async () => {
    await contradict('shop:4', 'May', 'June');
    const { page, open } = await running().enter(running().served.adminKey);
    await open('contradictions');
    await page.locator('.conflict').getByText('shop:3').first().waitFor();
    await rivalsOf(page);
    await page.keyboard.press('j');
    await page.locator('.conflict').getByText('shop:4').first().waitFor();
    await rivalsOf(page);
    await page.keyboard.press('k');
    await page.locator('.conflict').getByText('shop:3').first().waitFor();
  });

  it('are not settled by single keys that are switched off in the list of the keys', async () => {
    const { conflict_id: id } = await contradict('shop:7', 'May', 'June');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`contradictions?id=${id}`);
    await rivalsOf(page);
    expect(await page.locator('.rival kbd').count()).to.equal(2);
    await page.keyboard.press('?');
    await (await dialog(page, 'Keys of the console')).getByLabel('Keys without Ctrl').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const key of ['1', 'n']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).to.equal(0);
    expect(await page.locator('.conflict kbd').count()).to.equal(0);
    await page.locator('.conflict').getByLabel('Keys without Ctrl').click();
    await page.keyboard.press('n');
    await dialog(page, 'Settle the contradiction');
  });

  it('are read-only for a key without permission to write', async () => {
    const { conflict_id: id } = await contradict('shop:5', 'May', 'June');
    const { page, open } = await running().enter(await running().keyFor('agent:reader', ['read']));
    await open(`contradictions?id=${id}`);
    await rivalsOf(page);
    await page.keyboard.press('1');
    await page.keyboard.press('n');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    const buttons = (await offered(page)).join('\n');
    expect(buttons).to.not.match(/This is right|None of them|Say this again/);
  });

  for (const key of ['1', 'n']) {
    it(`show the refusal when another user was faster than the key ${key}, and then their end`, async () => {
      const { conflict_id: id, fact_a: first } = await contradict(`shop:6${key}`, 'May', 'June');
      const { page, open } = await running().enter(running().served.adminKey);
      await open(`contradictions?id=${id}`);
      await rivalsOf(page);
      // Otherwise the list would notice by itself after a while.
      await press(page, 'Live');
      await page.keyboard.press(key);
      const form = await dialog(page, 'Settle the contradiction');
      if (key === 'n') await form.getByLabel('Value', { exact: true }).fill('July');
      await running().served.ask('POST', `/v1/conflicts/${id}/resolve`, { winning_fact_id: first.id });
      await press(form, 'Settle it');
      await form.getByRole('alert').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).to.equal('Settle it');
      await page.keyboard.press('Escape');
      await page.getByText('It is not in this list').waitFor();
    });
  }

  it('leave a reader who has gone on to another one there, with the open form, when the node settles one late', async () => {
    const { conflict_id: first } = await contradict('shop:late', 'May', 'June');
    await contradict('shop:next', 'May', 'June');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`contradictions?id=${first}`);
    await rivalsOf(page);
    await page.evaluate(HOLDS_SETTLING);
    await page.keyboard.press('1');
    await press(await dialog(page, 'Settle the contradiction'), 'Settle it');
    await comesTrue(() => page.evaluate('window.letGo !== undefined'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.locator('.conflict').getByText('shop:next').first().waitFor();
    await rivalsOf(page);
    await page.keyboard.press('n');
    const form = await dialog(page, 'Settle the contradiction');
    await form.getByLabel('Value', { exact: true }).fill('July');
    await page.evaluate('window.letGo()');
    await page.getByText('Settled: memory:opens of shop:late is').waitFor();
    expect(await form.getByLabel('Value', { exact: true }).inputValue()).to.equal('July');
    expect(await page.locator('.conflict').getByText('shop:next').count()).to.be.above(0);
  });
});
