import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { consoleScreens } from '../../../plugins/console/console-api.ts';
import { describeConsole } from './describe-console.ts';

const SCRIPT = `
export const mount = async ({ element, ask, permissions, open }) => {
  const { facts } = await ask('GET', '/v1/facts?limit=500&fields=source');
  const list = document.createElement('ol');
  for (const source of new Set(facts.map((fact) => fact.source))) {
    const item = document.createElement('li');
    item.textContent = source + ' for ' + permissions.join(' and ');
    list.append(item);
  }
  const refused = await ask('GET', '/elsewhere').catch(({ message }) => message);
  const note = document.createElement('p');
  note.textContent = refused;
  const button = document.createElement('button');
  button.textContent = 'To the facts';
  button.addEventListener('click', () => open('facts'));
  element.append(list, note, button);
  return () => document.body.setAttribute('data-left', 'yes');
};
`;

const sources = defineOwnPlugin({
  name: 'acme-sources',
  summary: 'shows in the console who said something',
  setup({ on }) {
    on(consoleScreens, () => ({
      name: 'acme-sources',
      title: 'Who said something',
      permissions: ['audit.read'],
      script: SCRIPT,
      style: '.screen-acme-sources li { font-weight: 700; }',
    }));
    on(consoleScreens, () => ({
      name: 'acme-broken',
      title: 'A broken screen',
      permissions: ['audit.read'],
      script: "export const mount = () => { throw new Error('the screen does not work'); };",
    }));
  },
});

describeConsole('a screen that a plugin adds to the console, in a browser', { plugins: [sources] }, (running) => {
  before(async () => {
    const fact = { entity: 'user:alice', relation: 'memory:role', value: { type: 'string', v: '<b>cook</b>' } };
    await running().served.ask('POST', '/v1/facts', {
      ...fact,
      source: 'agent:<i>scribe</i>',
      scope: 'company',
      confidence: 0.9,
    });
  });

  it('is offered to a key with its permission, drawn with its style, and removed on leaving', async () => {
    const { page } = await running().visit(await running().keyFor('agent:auditor', ['read', 'audit.read']));
    await page.getByRole('link', { name: 'Who said something' }).click();
    await page.getByRole('heading', { name: 'Who said something' }).waitFor();
    await page.getByText('agent:<i>scribe</i> for audit.read and read').waitFor();
    await page.getByText('"/elsewhere" does not begin with /v1/').waitFor();
    const weight = 'getComputedStyle(document.querySelector(".screen-acme-sources li")).fontWeight';
    expect(await page.evaluate(weight)).to.equal('700');
    await page.getByRole('button', { name: 'To the facts' }).click();
    await page.waitForURL(/\/console\/facts/);
    await page.locator('body[data-left=yes]').waitFor({ state: 'attached' });
  });

  it('is hidden from a key without its permission, also at its address', async () => {
    const { page, open } = await running().visit(await running().keyFor('agent:reader', ['read']));
    expect(await page.getByRole('link', { name: 'Who said something' }).count()).to.equal(0);
    await open('acme-sources');
    await page.getByRole('heading', { name: 'No such screen' }).waitFor();
  });

  it('shows an error when it fails, and leaves the rest of the console usable', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:auditor', ['read', 'audit.read']));
    await open('acme-broken');
    await page.getByRole('alert').getByText('the screen does not work').waitFor();
    await page.getByRole('link', { name: 'Recall debugger' }).click();
    await page.getByRole('heading', { name: 'Recall debugger' }).waitFor();
  });
});
