import { expect } from 'chai';
import { scopeTable } from '../../documents/scope-table.ts';
import { describeConsole } from './describe-console.ts';
import { button, choose, countClicks, dialog, fillIn, isTold, offered, press, sendForm } from './reader-steps.ts';

describeConsole('facts in the console', {}, (running) => {
  const say = async (entity: string, relation: string, v: string, others: object = {}): Promise<string> => {
    const fact = { entity, relation, value: { type: 'string', v }, source: 'agent:scribe', scope: 'company' };
    const { status, body } = await running().served.ask('POST', '/v1/facts', { ...fact, confidence: 0.9, ...others });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  };
  const factsOf = async (entity: string) =>
    (await running().served.ask('GET', `/v1/facts?entity=${encodeURIComponent(entity)}`)).body.facts;

  it('are asserted in a form, then listed, and found by meaning and by filters', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts');
    await press(page, 'Assert a fact');
    const form = await dialog(page, 'Assert a fact');
    await choose(form, 'Type', 'Number');
    await fillIn(form, { Entity: 'user:alice', Relation: 'memory:age', Value: '41.5', Confidence: '0.75' });
    await choose(form, 'Scope', 'team');
    await press(form, 'Assert');
    await isTold(page, 'The fact is stored.');
    const [fact] = await factsOf('user:alice');
    expect(fact).to.deep.include({ relation: 'memory:age', confidence: 0.75, scope: 'team', source: 'agent:admin' });
    expect(fact.value).to.deep.include({ type: 'number', v: 41.5 });
    await page.locator('.rows').getByText('41.5').first().waitFor();
    await say('user:zoe', 'memory:hobby', 'juggling with clubs');
    await page.getByRole('searchbox').first().fill('clubs');
    await page.locator('.rows').getByText('juggling with clubs').first().waitFor();
    await open('facts?entity=user:alice');
    await page.locator('.rows').getByText('41.5').first().waitFor();
    expect(await page.locator('.rows').getByText('juggling').count()).to.equal(0);
    await press(page, 'Remove the filter Entity: user:alice');
    await page.locator('.rows').getByText('juggling').first().waitFor();
  });

  it('are searched by words in the address, until the reader opens all facts', async () => {
    await say('user:yuri', 'memory:hobby', 'folding paper cranes');
    await say('user:xenia', 'memory:job', 'drives a tram');
    const { page, open } = await running().enter(running().served.adminKey);
    const rows = page.locator('.rows');
    await open('facts');
    await page.getByRole('searchbox').first().fill('cranes');
    await page.waitForURL(/q=cranes/);
    await rows.getByText('folding paper cranes').first().waitFor();
    await page.locator('nav').getByRole('link', { name: 'Facts' }).click();
    await rows.getByText('drives a tram').first().waitFor();
    expect(await page.getByRole('searchbox').first().inputValue()).to.equal('');
    await open('entities');
    await page.getByRole('searchbox').fill('cranes');
    await page.getByRole('heading', { name: 'Entities that match' }).waitFor();
    await page.locator('.found').getByRole('link', { name: 'user:yuri' }).click();
    await page.getByRole('heading', { name: 'user:yuri' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Entities that match' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).to.equal('cranes');
  });

  it('have the default scopes of the table', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts');
    await press(page, 'Assert a fact');
    const form = await dialog(page, 'Assert a fact');
    const row = scopeTable().get('console');
    expect(await form.getByLabel('Scope', { exact: true }).inputValue()).to.equal(row?.writesTo);
    await open('recall');
    expect(row?.recallsFrom).to.equal('all scopes of the key');
    expect(await page.getByLabel('Where', { exact: true }).inputValue()).to.equal('global');
  });

  it('show beside the typed text why the node refuses a value', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts');
    await press(page, 'Assert a fact');
    const form = await dialog(page, 'Assert a fact');
    await fillIn(form, { Entity: 'user:alice', Relation: 'with spaces', Value: 'x' });
    await press(form, 'Assert');
    await form.locator('.problem').getByText('relation').first().waitFor();
    expect(await form.getByLabel('Relation', { exact: true }).inputValue()).to.equal('with spaces');
  });

  it('are corrected in four clicks: the value holds, its rivals end, and the reason stays', async () => {
    const id = await say('user:bob', 'memory:role', 'gardener');
    await say('user:bob', 'memory:role', 'baker', { source: 'agent:other' });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('facts?entity=user:bob');
    const clicks = await countClicks(page);
    await page.locator(`.row a[href*="${id}"]`).first().click();
    await press(page, 'Correct');
    const form = await dialog(page, 'Correct the fact');
    await form.getByLabel('Value', { exact: true }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('cook');
    await page.keyboard.press('Tab');
    await page.keyboard.type('asked Bob');
    await press(form, 'Store the correction');
    await isTold(page, 'The correction is stored, and the old value has ended.');
    expect(await clicks()).to.equal(4);
    const [corrected, ...others] = await factsOf('user:bob');
    expect([corrected.value.v, corrected.contradicted, others.length]).to.deep.equal(['cook', false, 0]);
    await button(page, 'Correct').waitFor({ state: 'detached' });
    await page.locator('.notice').getByRole('link', { name: 'See the fact' }).click();
    await page.getByText('asked Bob').first().waitFor();
    await page.locator('.timeline').getByText('this fact').first().waitFor();
    expect(await page.locator('.timeline > li').count()).to.equal(3);
  });

  it('get another opinion, if the reader chooses only that', async () => {
    const id = await say('user:bea', 'memory:role', 'gardener');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`facts?id=${id}`);
    await press(page, 'Correct');
    const form = await dialog(page, 'Correct the fact');
    await fillIn(form, { Value: 'cook' });
    await form.getByLabel('Only add another opinion').check();
    await press(form, 'Store the correction');
    await isTold(page, 'The opinion is stored. Both facts contradict until somebody settles it.');
    const { body: old } = await running().served.ask('GET', `/v1/facts/${id}`);
    expect(old.contradicted).to.equal(true);
  });

  it('are retracted, which the history shows with the time', async () => {
    const id = await say('user:carol', 'memory:room', 'blue');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`facts?id=${id}`);
    await sendForm(page, { opener: 'Retract', title: 'Retract this?' });
    await isTold(page, 'It is retracted.');
    expect((await factsOf('user:carol')).map(({ confidence }: { confidence: number }) => confidence)).to.deep.equal([
      0,
    ]);
    await page.locator('.timeline').getByText('Retracted').first().waitFor();
    await button(page, 'Retract').waitFor({ state: 'detached' });
  });

  it('are marked in every list when another fact has ended them', async () => {
    const ids = [await say('user:erik', 'memory:room', 'green'), await say('user:erik', 'memory:room', 'grey')];
    const { conflicts } = (await running().served.ask('GET', '/v1/conflicts')).body;
    const { conflict_id: id } = conflicts.find(({ fact_a }: { fact_a: { entity: string } }) =>
      fact_a.entity.startsWith('user:erik'),
    );
    const { page, open } = await running().enter(running().served.adminKey);
    const tagsOf = async (value: string): Promise<readonly string[]> => {
      const row = page.locator(`.row:has(.fact-says:has-text("${value}"))`).first();
      await row.waitFor();
      return row.locator('.tag').allTextContents();
    };
    await open('facts?entity=user:erik');
    expect([await tagsOf('green'), await tagsOf('grey')].flat().filter((tag) => tag === 'contradicted')).to.have.length(
      2,
    );
    await running().served.ask('POST', `/v1/conflicts/${id}/resolve`, { winning_fact_id: ids[1] });
    await open('facts?entity=user:erik');
    expect(await tagsOf('green')).to.include('superseded');
    expect(await tagsOf('grey')).to.not.include('superseded');
    await open('facts?entity=user:erik&source=agent:scribe');
    expect(await tagsOf('green')).to.include('superseded');
    await say('user:erik', 'memory:room', '', { confidence: 0 });
    await open('facts?entity=user:erik&include_retracted=true');
    expect(await tagsOf('green')).to.include('retracted');
  });

  it('say what to do when a fact has ended elsewhere, and show its end when the form is closed', async () => {
    const old = await say('user:dora', 'memory:home', 'Bonn');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`facts?id=${old}`);
    await press(page, 'Correct');
    const form = await dialog(page, 'Correct the fact');
    await say('user:dora', 'memory:home', 'Kiel', { replaces: [old] });
    await fillIn(form, { Value: 'Trier' });
    await press(form, 'Store the correction');
    await form.getByText('read the live facts, and decide again').waitFor();
    await press(form, 'Cancel');
    await button(page, 'Correct').waitFor({ state: 'detached' });
  });

  it('show a read-only key no action that writes', async () => {
    const id = await say('user:dave', 'memory:room', 'red');
    const { page, open } = await running().enter(await running().keyFor('agent:reader', ['read']));
    await open('facts');
    expect(await offered(page)).to.not.include('Assert a fact');
    await open(`facts?id=${id}`);
    await page.getByText('red').first().waitFor();
    expect(await offered(page))
      .to.not.include.members(['Correct'])
      .and.not.include.members(['Retract']);
  });

  it('say on focus what their numbers mean, with a link to all terms', async () => {
    const id = await say('user:gwen', 'memory:room', 'blue');
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`facts?id=${id}`);
    const place = page.locator('.term-place:has(button:text-is("Confidence"))');
    expect(await place.getByRole('tooltip').isVisible()).to.equal(false);
    await button(page, 'Confidence').press('Shift');
    await place.getByText('a fact with 0% is a retraction').waitFor();
    await place.getByRole('link', { name: 'All terms' }).click();
    await page.locator('#fact-sureness').getByText('a fact with 0% is a retraction').waitFor();
  });

  it('show the refusal of the node when a permission was revoked meanwhile', async () => {
    const { ask } = running().served;
    await ask('POST', '/v1/gardens', { name: 'Orchard', slug: 'orchard', scope: 'company' });
    await ask('POST', '/v1/gardens/orchard/members', { entity_uri: 'agent:picker', role: 'writer' });
    const { page, open } = await running().enter(await running().keyFor('agent:picker', ['read', 'write']));
    await open('facts');
    await press(page, 'Assert a fact');
    const form = await dialog(page, 'Assert a fact');
    await fillIn(form, { Entity: 'tree:7', Relation: 'memory:bears', Value: 'plums' });
    await choose(form, 'Scope', 'company');
    await choose(form, 'Garden', 'Orchard');
    const { status } = await ask('DELETE', '/v1/gardens/orchard/members/agent:picker');
    expect(status).to.be.below(300);
    await press(form, 'Assert');
    await form.getByRole('alert').waitFor();
    expect(await form.getByLabel('Entity', { exact: true }).inputValue()).to.equal('tree:7');
    expect(await factsOf('tree:7')).to.deep.equal([]);
  });
});
