import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { button, choose, dialog, fillIn, isTold, press, sendForm, takeSecret } from './reader-steps.ts';

/** The public key of RFC 8032, section 7.1. */
const PUBLIC_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';

/** The node gets each request, but the page gets no reply to those that send something to a path with this end. */
const losesRepliesOf = (end: string): string => `{
  const send = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const reply = await send(...given);
    const { url = given[0], method = given[1]?.method } = given[0];
    if (method === 'POST' && String(url).endsWith('${end}')) throw new TypeError('the reply is lost');
    return reply;
  };
}`;

describeConsole('keys and tokens in the console', {}, (running) => {
  const whoIs = async (key: string) => running().served.ask('GET', '/v1/me', undefined, key);

  it('are registered, shown once, rotated and revoked', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('keys');
    await sendForm(page, { opener: 'Register a key', texts: { Entity: 'agent:admin', Description: 'second desk' } });
    const first = await takeSecret(page, 'The new key');
    await isTold(page, 'A key of agent:admin is registered.');
    const { body: me } = await whoIs(first);
    expect(me.entity_uri).to.equal('agent:admin');
    expect([...me.permissions].sort()).to.deep.equal(['read', 'write']);
    const row = page.getByRole('table', { name: 'Your keys' }).locator('tr:has-text("second desk")');
    await row.getByRole('button', { name: /^Rotate/ }).click();
    const rotate = page.getByRole('dialog', { name: /^Rotate the key/ });
    await choose(rotate, 'The former key stays good for', 'Not at all');
    await press(rotate, 'Rotate');
    const second = await takeSecret(page, 'The new key');
    expect((await whoIs(first)).status).to.equal(401);
    expect((await whoIs(second)).status).to.equal(200);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await press(page.getByRole('dialog', { name: /^Revoke the key/ }), 'Revoke');
    await row.waitFor({ state: 'detached' });
    expect((await whoIs(second)).status).to.equal(401);
  });

  it('are shown when the reply to their rotation is lost', async () => {
    const former = await running().keyFor('agent:unlucky', ['read', 'write', 'admin']);
    const { page, open } = await running().enter(running().served.adminKey);
    await open('keys');
    await page.evaluate(losesRepliesOf('/rotate'));
    await page
      .getByRole('table', { name: 'All keys' })
      .getByRole('button', { name: /^Rotate .*unlucky/ })
      .click();
    const rotate = page.getByRole('dialog', { name: /^Rotate the key/ });
    await choose(rotate, 'The former key stays good for', 'Not at all');
    await press(rotate, 'Rotate');
    const fresh = await takeSecret(page, 'The new key');
    expect([(await whoIs(former)).status, (await whoIs(fresh)).status]).to.deep.equal([401, 200]);
  });

  it('are shown when the reply to their registration is lost', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('keys');
    await page.evaluate(losesRepliesOf('/v1/auth/keys'));
    await sendForm(page, { opener: 'Register a key', texts: { Entity: 'agent:unheard' } });
    const fresh = await takeSecret(page, 'The new key');
    expect((await whoIs(fresh)).body.entity_uri).to.equal('agent:unheard');
  });

  it('that expire soon are listed for an administrator, for all owners, and revoked', async () => {
    const raw_key = 'a-key-of-somebody-that-ends-in-ten-days';
    const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString();
    await running().served.ask('POST', '/v1/auth/keys', { raw_key, entity_uri: 'agent:temp', expires_at });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('overview');
    await page.locator('main').getByText('agent:temp').first().waitFor();
    await open('keys');
    const row = page.getByRole('table', { name: 'Keys of everybody that expire soon' }).locator('tr:has-text("temp")');
    await row.waitFor();
    await choose(page, 'Expire within', 'Within 7 days');
    await page.getByText('No key expires in that time').waitFor();
    await choose(page, 'Expire within', 'Within 30 days');
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await press(page.getByRole('dialog', { name: /^Revoke the key/ }), 'Revoke');
    await row.waitFor({ state: 'detached' });
    expect((await whoIs(raw_key)).status).to.equal(401);
  });

  it('of everybody are searched by an administrator, with their last use', async () => {
    const key = await running().keyFor('agent:rarely', ['read']);
    await running().keyFor('agent:never-came', ['read']);
    expect((await whoIs(key)).status).to.equal(200);
    const { page, open } = await running().enter(running().served.adminKey);
    await open('keys');
    const table = page.getByRole('table', { name: 'All keys' });
    await table.locator('tr:has-text("rarely")').waitFor();
    await page.getByRole('searchbox', { name: 'Search entities and descriptions' }).fill('never-came');
    await table.locator('tr:has-text("rarely")').waitFor({ state: 'detached' });
    const row = table.locator('tr:has-text("never-came")');
    expect(await row.locator('[data-label="Last used"]').textContent()).to.equal('never');
    await page.getByRole('searchbox', { name: 'Search entities and descriptions' }).fill('no such key');
    await page.getByText('No key matches').waitFor();
  });

  it('sign out their holder when the current key is revoked', async () => {
    const key = await running().keyFor('agent:leaver', ['read', 'write']);
    const { page, open } = await running().enter(key);
    await open('keys');
    await page
      .getByRole('table', { name: 'Your keys' })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    const form = page.getByRole('dialog', { name: /^Revoke the key/ });
    await form.getByText('you will be signed out').waitFor();
    await press(form, 'Revoke');
    await page.getByText('The key no longer works').waitFor();
    expect((await whoIs(key)).status).to.equal(401);
  });

  it('that agents sign with are registered and revoked by their owner', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:signer', ['read', 'write']));
    await open('keys');
    expect(await button(page, 'Register a key').count()).to.equal(0);
    await sendForm(page, {
      opener: 'Register a public key',
      texts: { 'Public key': PUBLIC_KEY, Description: 'laptop' },
    });
    await isTold(page, 'The key is registered.');
    await sendForm(page, { opener: 'Revoke the key laptop', submit: 'Revoke' });
    await isTold(page, 'The key laptop is revoked.');
    const signer = await running().keyFor('agent:signer', ['read']);
    const { body: keys } = await running().served.ask('GET', '/v1/auth/agent-keys', undefined, signer);
    expect(keys.map(({ status }: { status: string }) => status)).to.deep.equal(['revoked']);
  });

  it('for capabilities are issued, verified and revoked', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('capabilities');
    await press(page, 'Issue a token');
    const form = await dialog(page, 'Issue a token');
    await fillIn(form, { 'To whom': 'agent:scribe', 'On what': 'project:lantern' });
    await choose(form, 'What for', 'read');
    await press(form, 'Issue a token');
    const token = await takeSecret(page, 'The new token');
    const verify = async (): Promise<void> => {
      await press(page, 'Verify a token');
      const asked = await dialog(page, 'Verify a token');
      await asked.getByRole('textbox').fill(token);
      await press(asked, 'Verify');
    };
    await verify();
    await page.getByText('It is good now').waitFor();
    await page.keyboard.press('Escape');
    await sendForm(page, {
      opener: 'Revoke the token of agent:scribe',
      submit: 'Revoke',
      texts: { Reason: 'no longer here' },
    });
    await isTold(page, 'The token of agent:scribe is revoked.');
    await verify();
    await page.getByText('It is not good').waitFor();
    const { body } = await running().served.ask('GET', '/v1/federation/capability-tokens');
    expect(body.tokens[0]).to.include({ subject: 'agent:scribe', verb: 'read', status: 'revoked' });
  });

  it('for capabilities are issued by a writer only for itself, and revoked by that writer', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:scribe', ['read', 'write']));
    await open('capabilities');
    await press(page, 'Issue a token');
    const form = await dialog(page, 'Issue a token');
    expect(await form.getByLabel('To whom', { exact: true }).count()).to.equal(0);
    await choose(form, 'What for', 'subscribe');
    await choose(form, 'For how long', 'An hour');
    await fillIn(form, { 'On what': 'project:lantern' });
    await press(form, 'Issue a token');
    await takeSecret(page, 'The new token');
    await isTold(page, 'A token is issued to agent:scribe.');
    await sendForm(page, { opener: 'Revoke the token of agent:scribe', submit: 'Revoke' });
    await isTold(page, 'The token of agent:scribe is revoked.');
    await page.locator('.rows').getByText('revoked').first().waitFor();
  });
});
