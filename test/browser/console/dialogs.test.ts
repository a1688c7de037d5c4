import { expect } from 'chai';
import { settled } from './console-browser.ts';
import { describeConsole } from './describe-console.ts';
import { button } from './reader-steps.ts';

/** For each screen, the buttons that open a dialog. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  facts: ['Assert a fact'],
  gardens: ['Make a garden'],
  'gardens?garden=shed': ['Add member', 'Change role of agent:admin', 'Delete garden'],
  keys: ['Register a key', 'Register a public key'],
  capabilities: ['Verify a token', 'Issue a token'],
  relations: ['Add a rule', 'Change the rule for memory:likes', 'Remove the rule for memory:likes'],
  tenants: ['Make a tenant'],
  subscriptions: ['Subscribe'],
  'erasure?entity=user:bob': ['Hide', 'Erase', 'Export'],
  jobs: ['Run now: lint'],
};

describeConsole(
  'the dialogs of the console',
  { env: { SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' } },
  (running) => {
    before(async () => {
      const { ask } = running().served;
      await ask('POST', '/v1/gardens', { name: 'Shed', slug: 'shed', scope: 'team' });
      await ask('PUT', '/v1/relations', { pattern: 'memory:likes', values: 'many' });
      await ask('POST', '/v1/tombstones', { entity_uri: 'user:bob', scope: '*' });
    });

    it('open by keyboard, take the focus, have no serious accessibility finding, and return the focus', async () => {
      const { page, open, seriousFindings } = await running().enter(running().served.adminKey);
      for (const [address, openers] of Object.entries(OPENERS)) {
        await open(address);
        for (const opener of openers) {
          // A key press does not wait for a button that is disabled or moves while the screen loads; a click does.
          await button(page, opener).click({ trial: true });
          await button(page, opener).press('Enter');
          await page.getByRole('dialog').waitFor();
          await settled(page);
          const isInside = 'document.activeElement.closest("dialog[open]") !== null';
          expect(await page.evaluate(isInside), `${opener} has the focus`).to.equal(true);
          expect(await seriousFindings(), opener).to.deep.equal([]);
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await page.locator('main button:focus').waitFor();
          const name = 'document.activeElement.ariaLabel ?? document.activeElement.textContent';
          expect(await page.evaluate(name)).to.equal(opener);
        }
      }
    });

    it('fit a phone, also in dark mode', async () => {
      const { page, open, seriousFindings } = await running().enter(running().served.adminKey, {
        viewport: { width: 390, height: 844 },
        colorScheme: 'dark',
      });
      for (const [address, [opener = '']] of Object.entries(OPENERS)) {
        await open(address);
        await button(page, opener).click();
        await page.getByRole('dialog').waitFor();
        await settled(page);
        const spills =
          '(({ left, right }) => left < 0 || right > 390)(document.querySelector("dialog").getBoundingClientRect())';
        expect(await page.evaluate(spills), opener).to.equal(false);
        expect(await seriousFindings(), opener).to.deep.equal([]);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    });
  },
);
