import { expect } from 'chai';
import { isBrowserInstalled, type Page } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createPeerIdentity, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { freePort } from '../../kit/free-port.ts';
import { type ConsoleBrowser, startConsoleBrowser } from './console-browser.ts';
import { countClicks, dialog, fillIn, isTold, press } from './reader-steps.ts';

const settingsOf = async ({ nodeId, seed }: PeerIdentity) => ({
  SVC_NODE_URL: `http://127.0.0.1:${await freePort()}`,
  SVC_FEDERATION_ENABLED: 'true',
  SVC_FEDERATION_INSECURE: 'true',
  SVC_NODE_ID: nodeId,
  SVC_NODE_PRIVATE_KEY: seed,
});

const NOT_COPIED = 'not copied yet';

/** Makes a declaration for the node at an address, and returns its text and its code. */
const declare = async (page: Page, address: string, nodeId: string) => {
  await press(page, 'Pair with a node');
  const form = await dialog(page, 'Pair with a node');
  await fillIn(form, { 'Other node': address });
  await press(form, 'Make the declaration');
  const made = await dialog(page, `The declaration for ${nodeId}`);
  const code = (await made.locator('.secret').textContent()) ?? '';
  await page.evaluate('document.querySelector("dialog[open]").append(document.createElement("textarea"))');
  const pasted = made.locator('textarea');
  // Replaces what another test copied in this browser, because the browser may still copy after the button was pressed.
  await pasted.fill(NOT_COPIED);
  await pasted.press('Control+A');
  await pasted.press('Control+C');
  await press(made, 'Copy the declaration');
  await comesTrue(async () => {
    await pasted.fill('');
    await pasted.press('Control+V');
    return !['', NOT_COPIED].includes(await pasted.inputValue());
  });
  const text = await pasted.inputValue();
  await page.evaluate('document.querySelector("dialog[open] textarea").remove()');
  return { made, code, text };
};

if (isBrowserInstalled()) {
  describe('pairing two nodes in their consoles', function () {
    this.timeout(180_000);
    const one = createPeerIdentity('svc://one.test', Date.now);
    const two = createPeerIdentity('svc://two.test', Date.now);
    let here: ConsoleBrowser;
    let there: ConsoleBrowser;
    before(async () => {
      here = await startConsoleBrowser(await settingsOf(one));
      there = await startConsoleBrowser(await settingsOf(two));
    });
    afterEach(async () => {
      expect([...(await here.leave()), ...(await there.leave())]).to.deep.equal([]);
    });
    after(async () => {
      await here?.stop();
      await there?.stop();
    });

    const statusAt = async ({ served }: ConsoleBrowser): Promise<readonly string[]> =>
      (await served.ask('GET', '/v1/federation/peers')).body.peers.map(({ status }: { status: string }) => status);

    it('takes five clicks on each side, and begins when each has typed the code of the other', async () => {
      const { page: ours, open: openOurs } = await here.visit(here.served.adminKey);
      const { page: theirs, open: openTheirs } = await there.visit(there.served.adminKey);
      await openOurs('peers');
      await openTheirs('peers');
      const ourClicks = await countClicks(ours);
      const theirClicks = await countClicks(theirs);
      const given = await declare(ours, there.served.url, two.nodeId);
      expect(given.code).to.match(/^\d{5}( \d{5}){4}$/);
      await press(theirs, 'Add a declaration');
      const form = await dialog(theirs, 'Add a declaration');
      await fillIn(form, { Declaration: given.text, Code: given.code });
      await press(form, 'Add a declaration');
      await isTold(theirs, 'The declaration is on file.');
      expect([await statusAt(here), await statusAt(there)]).to.deep.equal([
        ['pending_verification'],
        ['pending_verification'],
      ]);
      const taken = await declare(theirs, here.served.url, one.nodeId);
      expect(await statusAt(here), 'one side alone begins nothing').to.deep.equal(['pending_verification']);
      await press(given.made, 'Add a declaration');
      const last = await dialog(ours, 'Add a declaration');
      await fillIn(last, { Declaration: taken.text, Code: taken.code });
      await press(last, 'Add a declaration');
      await isTold(ours, 'the peering is active');
      expect([await ourClicks(), await theirClicks()]).to.deep.equal([5, 5]);
      expect([await statusAt(here), await statusAt(there)]).to.deep.equal([['active'], ['active']]);
    });

    it('refuses a file whose code is another one, in a dialog that fits a phone', async () => {
      const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
      const visit = await here.enter(here.served.adminKey, phone);
      const { page, open } = visit;
      await open('peers');
      await press(page, 'Add a declaration');
      const form = await dialog(page, 'Add a declaration');
      const forged = createPeerIdentity('svc://forged.test', Date.now).declare(one.nodeId);
      const buffer = Buffer.from(JSON.stringify(forged));
      await form
        .getByLabel('Or its file', { exact: true })
        .setInputFiles({ name: 'theirs.json', mimeType: 'application/json', buffer });
      await fillIn(form, { Code: '12345 12345 12345 12345 12345' });
      expect(await visit.seriousFindings()).to.deep.equal([]);
      await press(form, 'Add a declaration');
      await form.getByRole('alert').getByText('another code').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).to.equal(false);
      expect(await statusAt(here)).to.deep.equal(['active']);
    });
  });
}
