import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { button, fillIn, isTold, offered, press, sendForm } from './reader-steps.ts';

describeConsole('the console of a node that requires no key', { env: { SVC_AUTH_REQUIRED: 'false' } }, (running) => {
  it('opens without a sign-in, for all actions that the node allows without a key', async () => {
    const { page, open, seriousFindings } = await running().comeIn();
    await page.getByText('anon:trusted').first().waitFor();
    await open('facts');
    await sendForm(page, {
      opener: 'Assert a fact',
      submit: 'Assert',
      texts: { Entity: 'user:alice', Relation: 'memory:role', Value: 'gardener' },
    });
    await isTold(page, 'The fact is stored.');
    await page.locator('.rows').getByText('gardener').first().waitFor();
    expect(await seriousFindings()).to.deep.equal([]);
    expect(await page.getByRole('link', { name: 'Settings', exact: true }).count()).to.equal(0);
    await open('keys');
    expect(await offered(page)).to.not.include('Register a key');
  });

  it('continues without a stored key that is no longer valid', async () => {
    const { page } = await running().comeIn();
    await page.evaluate('sessionStorage.setItem("console.key /console/", "a-key-of-earlier-that-works-no-longer")');
    await page.reload();
    await page.getByText('anon:trusted').first().waitFor();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
  });

  it('copies a command that runs without a key', async () => {
    const { page, open } = await running().comeIn();
    await open('recall?q=gardener');
    await page.getByText('The same for a shell, a program or an agent').click();
    const curl = page.getByRole('region', { name: 'curl' });
    await curl.waitFor();
    expect(await curl.textContent())
      .to.contain('/v1/recall')
      .and.not.contain('Authorization');
  });

  it('accepts a key with more permissions, forgets it, and continues without one', async () => {
    const { page, open, seriousFindings } = await running().comeIn();
    await press(page, 'Use a key');
    await page.getByText('This node asks for no key.').waitFor();
    expect(await seriousFindings()).to.deep.equal([]);
    await fillIn(page, { Key: 'a-key-that-nobody-has-ever-registered' });
    await press(page, 'Sign in');
    await page.getByText('The node does not know this key').waitFor();
    await fillIn(page, { Key: running().served.adminKey });
    await press(page, 'Sign in');
    await page.getByRole('link', { name: 'Settings', exact: true }).waitFor();
    await open('facts');
    await page.getByText('agent:admin').first().waitFor();
    await press(page, 'Sign out');
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    await press(page, 'Go on without a key');
    await page.getByText('anon:trusted').first().waitFor();
    await button(page, 'Use a key').waitFor();
  });
});
