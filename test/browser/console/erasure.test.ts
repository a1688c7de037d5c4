import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { dialog, fillIn, isTold, press, sendForm, takeSecret } from './reader-steps.ts';

describeConsole(
  'the target of hiding, erasing and separating in the console',
  { env: { SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' } },
  (running) => {
    const say = (entity: string) =>
      running().served.ask('POST', '/v1/facts', {
        entity,
        relation: 'memory:diary',
        value: { type: 'text', v: 'a secret' },
        source: 'agent:scribe',
        scope: 'company',
        confidence: 0.9,
      });
    const factsOf = async (entity: string) =>
      (await running().served.ask('GET', `/v1/facts?entity=${encodeURIComponent(entity)}`)).body.facts;

    it('is an entity that is hidden after its name is typed, and shown again', async () => {
      await say('user:alice');
      const { page, open } = await running().enter(running().served.adminKey);
      await open('erasure');
      await fillIn(page, { Entity: 'user:alice' });
      await press(page, 'Show');
      await page.getByText('Facts about this entity are shown.').waitFor();
      await sendForm(page, {
        opener: 'Hide',
        title: 'Hide user:alice',
        texts: { Reason: 'she asked for it', 'To be sure': 'user:alice' },
      });
      await isTold(page, 'user:alice is hidden.');
      expect(await factsOf('user:alice')).to.deep.equal([]);
      await sendForm(page, { opener: 'Revoke', title: 'Show user:alice again', texts: { Reason: 'she came back' } });
      await isTold(page, 'user:alice is shown again.');
      expect(await factsOf('user:alice')).to.have.lengthOf(1);
    });

    it('is chosen from the list of all tombstones', async () => {
      const { body: revoked } = await running().served.ask('POST', '/v1/tombstones', { entity_uri: 'user:carol' });
      await running().served.ask('POST', `/v1/tombstones/${revoked.id}/revoke`, { reason: 'she came back' });
      const held = { entity_uri: 'user:erin', scope: 'company', reason: 'a court asked', legal_hold: true };
      await running().served.ask('POST', '/v1/tombstones', held);
      const { page, open } = await running().enter(running().served.adminKey);
      await open('erasure');
      const lineOf = (entity: string) =>
        page.getByRole('region', { name: 'Tombstones' }).locator(`li:has-text("${entity}")`);
      for (const text of ['hides', 'legal hold', 'company', 'a court asked'])
        await lineOf('user:erin').getByText(text, { exact: true }).waitFor();
      await lineOf('user:carol').getByText('revoked', { exact: true }).waitFor();
      await lineOf('user:erin').getByRole('link').click();
      await page.getByText('Facts about this entity are hidden.').waitFor();
    });

    it('is an entity whose values are erased after a preview and its typed name, with a receipt', async () => {
      await say('user:bob');
      await running().served.ask('POST', '/v1/tombstones', { entity_uri: 'user:bob', scope: '*' });
      const { page, open } = await running().enter(running().served.adminKey);
      await open('erasure?entity=user:bob');
      await press(page, 'Erase');
      const form = await dialog(page, 'Erase what is known of user:bob');
      await form.getByRole('heading', { name: 'What would be destroyed' }).waitFor();
      await fillIn(form, { 'To be sure': 'user:bo' });
      await press(form, 'Erase for good');
      const { body: before } = await running().served.ask('GET', '/v1/tombstones/user%3Abob');
      expect(before.tombstones[0].erase).to.not.equal(true);
      await fillIn(form, { 'To be sure': 'user:bob' });
      await press(form, 'Erase for good');
      const receipt = await dialog(page, 'Receipt of the erasure of user:bob');
      await receipt.getByRole('heading', { name: 'What was destroyed' }).waitFor();
      await receipt.getByText('Signed by').first().waitFor();
      await receipt.locator('.dialog-end').getByRole('button', { name: 'Close' }).click();
      await isTold(page, 'What was known of user:bob is erased.');
      await page.getByRole('button', { name: 'Erase what came since' }).waitFor();
      const { body: after } = await running().served.ask('GET', '/v1/tombstones/user%3Abob');
      expect(after.tombstones[0].erase).to.equal(true);
    });

    it('is protected by a legal hold until the hold is lifted', async () => {
      const fact = await say('user:dora');
      const reader = await running().keyFor('agent:reader', ['read']);
      const seenBy = async (key?: string) =>
        (await running().served.ask('GET', `/v1/facts/${fact.body.id}`, undefined, key)).status;
      const { page, open } = await running().enter(running().served.adminKey);
      await open('erasure?entity=user:dora');
      const hide = async (isHeld: boolean): Promise<void> => {
        await press(page, 'Hide');
        const form = await dialog(page, 'Hide user:dora');
        if (isHeld) await form.getByLabel(/^Legal hold/).check();
        await fillIn(form, { 'To be sure': 'user:dora' });
        await press(form, 'Hide');
      };
      await hide(true);
      await isTold(page, 'user:dora is hidden.');
      const table = page.getByRole('table', { name: 'Tombstones' });
      await table.getByText('legal hold', { exact: true }).waitFor();
      expect([await seenBy(), await seenBy(reader)]).to.deep.equal([200, 404]);
      await press(page, 'Erase');
      const form = await dialog(page, 'Erase what is known of user:dora');
      await form.getByRole('alert').getByText('a legal hold keeps the facts').waitFor();
      await fillIn(form, { 'To be sure': 'user:dora' });
      await press(form, 'Erase for good');
      await form.getByRole('alert').nth(1).getByText('a legal hold keeps the facts').waitFor();
      await page.keyboard.press('Escape');
      await hide(false);
      await isTold(page, 'user:dora was hidden there before');
      await sendForm(page, { opener: 'Revoke', title: 'Show user:dora again', texts: { Reason: 'the case is over' } });
      await isTold(page, 'user:dora is shown again.');
      expect([await seenBy(), await seenBy(reader)]).to.deep.equal([200, 200]);
      await hide(false);
      await isTold(page, 'user:dora is hidden.');
      await press(page, 'Erase');
      const again = await dialog(page, 'Erase what is known of user:dora');
      await again.getByRole('heading', { name: 'What would be destroyed' }).waitFor();
      await fillIn(again, { 'To be sure': 'user:dora' });
      await press(again, 'Erase for good');
      await dialog(page, 'Receipt of the erasure of user:dora');
      expect(await seenBy()).to.equal(404);
    });

    it('may be facts that arrived after an erasure, which a second one erases', async () => {
      await say('user:emil');
      const { body: tombstone } = await running().served.ask('POST', '/v1/tombstones', { entity_uri: 'user:emil' });
      const confirm = { confirm: 'user:emil' };
      expect((await running().served.ask('POST', `/v1/tombstones/${tombstone.id}/erase`, confirm)).status).to.equal(
        200,
      );
      await say('user:emil');
      const { page, open } = await running().enter(running().served.adminKey);
      await open('erasure?entity=user:emil');
      await press(page, 'Erase what came since');
      const form = await dialog(page, 'Erase what is known of user:emil');
      await form.getByRole('heading', { name: 'What would be destroyed' }).waitFor();
      await fillIn(form, { 'To be sure': 'user:emil' });
      await press(form, 'Erase for good');
      const receipt = await dialog(page, 'Receipt of the erasure of user:emil');
      await receipt.getByRole('heading', { name: 'What was destroyed' }).waitFor();
      await press(receipt, 'Copy receipt');
    });

    it('exports the facts of an entity as a file', async () => {
      await say('user:carol');
      const { page, open } = await running().enter(running().served.adminKey);
      await open('erasure?entity=user:carol');
      await press(page, 'Export');
      const form = await dialog(page, 'Export what is known of user:carol');
      await press(form, 'Export');
      await form.getByText('Saved as user-carol.jsonl').waitFor();
    });

    it('is a tenant that is created with a first key, suspended and resumed', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('tenants');
      await sendForm(page, {
        opener: 'Make a tenant',
        texts: { Id: 'acme', Name: 'Acme', 'Entity of the first key': 'user:wile' },
      });
      const key = await takeSecret(page, 'The first key of the tenant');
      await isTold(page, 'The tenant acme is made.');
      const me = () => running().served.ask('GET', '/v1/me', undefined, key);
      expect((await me()).body).to.include({ entity_uri: 'user:wile', tenant_id: 'acme' });
      await page.locator('.rows').getByRole('link', { name: 'acme' }).click();
      await sendForm(page, { opener: 'Suspend', title: 'Suspend acme' });
      await isTold(page, 'acme is suspended.');
      expect((await me()).status).to.be.within(400, 499);
      await sendForm(page, { opener: 'Resume', title: 'Resume acme' });
      await isTold(page, 'acme is served again.');
      expect((await me()).status).to.equal(200);
    });

    it('is a tenant that is renamed, and exports all its data as a file', async () => {
      const first_key = { raw_key: 'a-key-of-the-administrator-of-globex', entity_uri: 'user:hank' };
      await running().served.ask('POST', '/v1/tenants', { id: 'globex', name: 'Globex', first_key });
      const { page, open } = await running().enter(running().served.adminKey);
      await open('tenants?tenant=globex');
      await sendForm(page, { opener: 'Rename', texts: { Name: 'Globex & <b>Sons</b>' } });
      await isTold(page, 'The tenant has another name.');
      await page.getByRole('heading', { name: 'globex Globex & <b>Sons</b>' }).waitFor();
      expect((await running().served.ask('GET', '/v1/tenants/globex')).body.name).to.equal('Globex & <b>Sons</b>');
      await press(page, 'Export');
      await page.getByText('Saved as tenant-globex.jsonl').waitFor();
      await sendForm(page, { opener: 'Rename', texts: { Name: '' } });
      await isTold(page, 'The tenant has another name.');
      expect((await running().served.ask('GET', '/v1/tenants/globex')).body.name).to.equal(null);
    });

    it('shows an administrator of another tenant nothing of the node', async () => {
      const raw_key = 'a-key-of-the-administrator-of-initech';
      const first_key = { raw_key, entity_uri: 'user:bill' };
      expect((await running().served.ask('POST', '/v1/tenants', { id: 'initech', first_key })).status).to.equal(201);
      const { page } = await running().visit(raw_key);
      const names = await page.locator('nav a').allTextContents();
      expect(names).to.include('Keys').and.not.include.members(['Tenants']);
      expect(names.filter((name) => ['Tenants', 'Settings', 'Plugins'].includes(name))).to.deep.equal([]);
    });

    it('is a tenant that is erased after its id is typed', async () => {
      const first_key = { raw_key: 'a-key-of-the-administrator-of-hooli', entity_uri: 'user:gavin' };
      await running().served.ask('POST', '/v1/tenants', { id: 'hooli', first_key });
      const { page, open } = await running().enter(running().served.adminKey);
      await open('tenants?tenant=hooli');
      await sendForm(page, { opener: 'Erase', title: 'Erase the tenant hooli', texts: { 'To be sure': 'hooli' } });
      await page.getByRole('heading', { name: 'Erasure' }).waitFor();
      await page.getByRole('heading', { name: 'What was destroyed' }).waitFor();
      expect((await running().served.ask('GET', '/v1/tenants/hooli')).body.status).to.equal('erased');
    });
  },
);
