import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { choose, dialog, fillIn, isTold, press, sendForm, takeSecret } from './reader-steps.ts';

// The webhook address has no listener, so deliveries fail, and the console shows the failures.
describeConsole(
  'subscriptions and instructions in the console',
  { env: { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' } },
  (running) => {
    const say = (entity: string, relation: string, v: string, others: object = {}) =>
      running().served.ask('POST', '/v1/facts', {
        entity,
        relation,
        value: { type: 'text', v, ...others },
        source: 'agent:admin',
        scope: 'company',
        confidence: 0.9,
      });

    it('are created with a token, replay their events, get a new secret, and end', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('subscriptions');
      await sendForm(page, {
        opener: 'Subscribe',
        texts: { Target: 'project:lantern', Webhook: 'http://127.0.0.1:9/hook' },
      });
      await takeSecret(page, 'The secret of the webhook');
      await isTold(page, 'The webhook is told of project:lantern from now on.');
      const { body } = await running().served.ask('GET', '/v1/subscriptions');
      const [{ id }] = body.subscriptions;
      expect(body.subscriptions[0]).to.include({ target: 'project:lantern', status: 'active' });
      for (const v of ['May', 'June']) await say('project:lantern', `memory:opens-${v}`, v);
      await page.getByRole('table', { name: 'Subscriptions' }).getByRole('link', { name: 'project:lantern' }).click();
      await page.getByRole('heading', { name: 'Events' }).waitFor();
      const events = page.getByRole('region', { name: 'Events' });
      await events.getByText('memory:opens-May').waitFor();
      await events.getByRole('button', { name: 'Replay after this' }).first().click();
      await events.getByText('memory:opens-May').waitFor({ state: 'detached' });
      await events.getByText('memory:opens-June').waitFor();
      await press(page, 'From the beginning');
      await events.getByText('memory:opens-May').waitFor();
      await press(page, 'Rotate secret');
      await press(await dialog(page, 'Rotate secret'), 'Rotate secret');
      await takeSecret(page, 'The secret of the webhook');
      await isTold(page, 'The subscription has a new secret.');
      await sendForm(page, { opener: 'End subscription', title: 'End the subscription of project:lantern' });
      await page.getByText('You have no subscription').waitFor();
      expect((await running().served.ask('GET', `/v1/subscriptions/${id}`)).status).to.be.oneOf([404, 410]);
    });

    it('are written as versions of a manifest, from which an intent loads the matching units', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('instructions');
      await fillIn(page, { Agent: 'clerk' });
      await press(page, 'Show');
      await page.getByText('This agent has no manifest').waitFor();
      const uri = 'instruction:default/agent/clerk/letters/v1';
      const text = 'Begin each letter with a greeting.';
      expect((await say(uri, 'instruction:text', text, { interpret_as: 'instruction' })).status).to.equal(201);
      await press(page, 'Write a manifest');
      await sendForm(page, {
        opener: 'Add unit',
        submit: 'Take over',
        texts: { Name: 'letters', 'What it is about': 'How letters begin', Intents: 'write a letter' },
      });
      await page.getByRole('table', { name: 'Units' }).getByText('How letters begin').waitFor();
      await sendForm(page, { opener: 'Publish', texts: { Version: 'v1' } });
      await isTold(page, 'Version v1 is published.');
      const { body } = await running().served.ask('GET', '/v1/agents/clerk/instruction-manifest');
      expect(body.manifest_version).to.equal('v1');
      expect(body.entries[0]).to.include({ name: 'letters', fact_uri: uri });
      await fillIn(page, { 'What the agent is about to do': 'write a letter' });
      await press(page, 'Load');
      await page.locator('.loaded-unit').getByText(text).waitFor();
    });

    it('are edited in a draft, which is dropped or published as the next version', async () => {
      const { ask } = running().served;
      const unit = (name: string) => ({
        name,
        description: `About ${name}`,
        fact_uri: `instruction:default/agent/editor/${name}/v1`,
        load_triggers: { intents: [name] },
      });
      const body = { version: 'v1', entries: [unit('tone'), unit('length')], skip_coverage_gate: true };
      expect((await ask('PUT', '/v1/agents/editor/instruction-manifest', body)).status).to.be.below(300);
      const manifest = async () => (await ask('GET', '/v1/agents/editor/instruction-manifest')).body;
      const { page, open } = await running().enter(running().served.adminKey);
      await open('instructions?agent=editor');
      await press(page, 'Write a new version');
      await press(page, 'Leave out tone');
      await press(page, 'Discard');
      expect((await manifest()).entries).to.have.length(2);
      await press(page, 'Write a new version');
      await press(page, 'Leave out tone');
      await sendForm(page, {
        opener: 'Edit length',
        title: 'Edit',
        submit: 'Take over',
        texts: { 'What it is about': 'How long texts are' },
      });
      await press(page, 'Publish');
      const form = await dialog(page, 'Publish');
      await fillIn(form, { Version: 'v2' });
      await press(form, 'Publish');
      await form.getByRole('alert').getByText('a live fact with authority is missing for 1 of 1 unit').waitFor();
      await form.getByLabel('Publish although a unit has no text yet').check();
      await press(form, 'Publish');
      await isTold(page, 'Version v2 is published.');
      const { manifest_version: version, entries } = await manifest();
      expect([version, entries.map(({ description }: { description: string }) => description)]).to.deep.equal([
        'v2',
        ['How long texts are'],
      ]);
    });

    it('are those of the reading agent, until it requests those of another agent', async () => {
      const { page, open } = await running().enter(await running().keyFor('agent:porter', ['read', 'write']));
      await open('instructions');
      await page.getByRole('heading', { name: 'porter' }).waitFor();
      await page.getByRole('button', { name: 'Write a manifest' }).waitFor();
      await open('instructions?agent=stranger');
      await page.getByRole('heading', { name: 'stranger' }).waitFor();
    });

    it('are read-only for a caller who owns no manifest, with a notice', async () => {
      const { page, open } = await running().enter(await running().keyFor('agent:other', ['read', 'write']));
      await open('instructions?agent=stranger');
      await page.getByText('The agent itself, or a key that may write instructions, publishes one.').waitFor();
      expect(await page.getByRole('button', { name: 'Write a manifest' }).count()).to.equal(0);
    });

    it('show in the dialog why the node refuses a subscription', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('subscriptions');
      await press(page, 'Subscribe');
      const form = await dialog(page, 'Subscribe');
      await choose(form, 'Kind of target', 'A scope');
      await fillIn(form, { Target: 'no-such-scope', Webhook: 'http://127.0.0.1:9/hook' });
      await press(form, 'Subscribe');
      await form.getByRole('alert').waitFor();
      expect(await form.getByLabel('Target', { exact: true }).inputValue()).to.equal('no-such-scope');
    });
  },
);
