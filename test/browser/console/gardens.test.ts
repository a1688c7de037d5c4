import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { choose, dialog, fillIn, isTold, press, sendForm } from './reader-steps.ts';

describeConsole('gardens in the console', {}, (running) => {
  const rolesIn = async (slug: string): Promise<Readonly<Record<string, string>>> => {
    const { body } = await running().served.ask('GET', `/v1/gardens/${slug}`);
    return Object.fromEntries(
      body.members.map(({ entity_uri, role }: { entity_uri: string; role: string }) => [entity_uri, role]),
    );
  };

  it('are created, and deleted after their name is typed', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('gardens');
    await sendForm(page, { opener: 'Make a garden', texts: { Name: 'Kitchen', 'Short name': 'kitchen' } });
    await isTold(page, 'The garden Kitchen is made.');
    expect((await running().served.ask('GET', '/v1/gardens/kitchen')).body).to.include({
      name: 'Kitchen',
      scope: 'company',
      quarantine: false,
    });
    await page.getByRole('table', { name: 'Gardens' }).getByRole('link', { name: 'Kitchen' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await press(page, 'Delete garden');
    const form = await dialog(page, 'Delete the garden Kitchen');
    await fillIn(form, { 'To be sure': 'kitchn' });
    await press(form, 'Delete garden');
    expect((await running().served.ask('GET', '/v1/gardens/kitchen')).status).to.equal(200);
    await fillIn(form, { 'To be sure': 'kitchen' });
    await press(form, 'Delete garden');
    await page.getByText('You belong to no garden').waitFor();
    expect((await running().served.ask('GET', '/v1/gardens/kitchen')).status).to.equal(404);
  });

  it('get members, change their roles, and remove them', async () => {
    await running().served.ask('POST', '/v1/gardens', { name: 'Shed', slug: 'shed', scope: 'team' });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('gardens?garden=shed');
    await sendForm(page, { opener: 'Add member', texts: { Entity: 'user:alice' } });
    await isTold(page, 'user:alice belongs to the garden now.');
    expect(await rolesIn('shed')).to.include({ 'user:alice': 'reader' });
    await press(page, 'Change role of user:alice');
    const change = await dialog(page, 'Change role of user:alice');
    await choose(change, 'Role', 'writer');
    await press(change, 'Change role');
    await isTold(page, 'user:alice is writer now.');
    expect(await rolesIn('shed')).to.include({ 'user:alice': 'writer' });
    await sendForm(page, { opener: 'Remove user:alice', submit: 'Remove' });
    await isTold(page, 'user:alice belongs to the garden no longer.');
    expect(await rolesIn('shed')).to.not.have.property('user:alice');
  });

  it('are left by a member, who then no longer sees them', async () => {
    const { ask } = running().served;
    await ask('POST', '/v1/gardens', { name: 'Barn', slug: 'barn', scope: 'team' });
    await ask('POST', '/v1/gardens/barn/members', { entity_uri: 'agent:guest', role: 'reader' });
    const { page, open } = await running().enter(await running().keyFor('agent:guest', ['read', 'write']));
    await open('gardens?garden=barn');
    await sendForm(page, { opener: 'Leave', title: 'Leave the garden Barn' });
    await page.getByText('You belong to no garden').waitFor();
    expect(await rolesIn('barn')).to.not.have.property('agent:guest');
  });

  it('refuse a caller who is no longer a keeper, with a message in the dialog', async () => {
    const { ask } = running().served;
    await ask('POST', '/v1/gardens', { name: 'Pond', slug: 'pond', scope: 'team' });
    await ask('POST', '/v1/gardens/pond/members', { entity_uri: 'agent:keeper', role: 'admin' });
    const { page, open } = await running().enter(await running().keyFor('agent:keeper', ['read', 'write']));
    await open('gardens?garden=pond');
    await press(page, 'Add member');
    const form = await dialog(page, 'Add member');
    await fillIn(form, { Entity: 'user:friend' });
    await ask('PATCH', '/v1/gardens/pond/members/agent:keeper', { role: 'reader' });
    await press(form, 'Add member');
    await form.getByRole('alert').waitFor();
    expect(await rolesIn('pond')).to.not.have.property('user:friend');
  });

  it('in quarantine let a moderator admit or reject pending facts', async () => {
    const { ask } = running().served;
    await ask('POST', '/v1/gardens', { name: 'Inbox', slug: 'inbox', scope: 'team', quarantine: true });
    const { body: garden } = await ask('GET', '/v1/gardens/inbox');
    await ask('POST', '/v1/gardens/inbox/members', { entity_uri: 'agent:moderator', role: 'quarantine:moderator' });
    for (const entity of ['user:good', 'user:bad']) {
      const fact = {
        entity,
        relation: 'memory:says',
        value: { type: 'string', v: `I am ${entity}` },
        confidence: 0.5,
      };
      const place = { scope: 'team', garden_id: garden.garden_id, source: 'agent:stranger' };
      await ask('POST', '/v1/facts', { ...fact, ...place });
    }
    const { page, open } = await running().enter(await running().keyFor('agent:moderator', ['read', 'write']));
    await open('gardens?garden=inbox');
    // A moderator sees the value in the list and in the dialog.
    await page.locator('.row').getByText('I am user:bad').waitFor();
    await press(page, 'Admit what is said of user:good');
    const form = await dialog(page, 'Admit what is said of user:good');
    await form.getByText('I am user:good').waitFor();
    await press(form, 'Admit');
    await isTold(page, 'What is said of user:good was admitted.');
    await sendForm(page, { opener: 'Reject what is said of user:bad', submit: 'Reject', texts: { Reason: 'spam' } });
    await isTold(page, 'What is said of user:bad was rejected.');
    await page.getByText('Nothing here').waitFor();
    const { facts } = (await ask('GET', '/v1/facts?entity=user:good')).body;
    expect(facts.some(({ garden_id: id }: { garden_id: string | null }) => id === null)).to.equal(true);
    const { facts: rejected } = (await ask('GET', '/v1/facts?entity=user:bad')).body;
    expect(rejected).to.deep.equal([]);
  });

  it('in quarantine let a moderator admit a pending fact into another garden', async () => {
    const { ask } = running().served;
    await ask('POST', '/v1/gardens', { name: 'Gate', slug: 'gate', scope: 'team', quarantine: true });
    await ask('POST', '/v1/gardens', { name: 'Meadow', slug: 'meadow', scope: 'team' });
    const gardenId = async (slug: string): Promise<string> => (await ask('GET', `/v1/gardens/${slug}`)).body.garden_id;
    const fact = { entity: 'user:new', relation: 'memory:says', value: { type: 'string', v: 'hello' } };
    const place = { scope: 'team', garden_id: await gardenId('gate'), source: 'agent:stranger', confidence: 0.5 };
    await ask('POST', '/v1/facts', { ...fact, ...place });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('gardens?garden=gate');
    await press(page, 'Admit what is said of user:new');
    const form = await dialog(page, 'Admit what is said of user:new');
    await choose(form, 'Where to', 'Meadow');
    await fillIn(form, { Reason: 'known to the keeper' });
    await press(form, 'Admit');
    await isTold(page, 'What is said of user:new was admitted.');
    const { facts } = (await ask('GET', '/v1/facts?entity=user:new')).body;
    const places = facts.map(({ garden_id: id }: { garden_id: string | null }) => id);
    expect(places).to.include(await gardenId('meadow'));
  });
});
