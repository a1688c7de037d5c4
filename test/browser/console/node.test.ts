import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { button, choose, dialog, isTold, press, sendForm } from './reader-steps.ts';

describeConsole('the node in the console', {}, (running) => {
  it('has an audit log that is verified, filtered and exported', async () => {
    const token = { issuer: 'agent:admin', subject: 'agent:scribe', verb: 'read', object: 'project:lantern' };
    await running().served.ask('POST', '/v1/federation/capability-tokens', { ...token, ttl_seconds: 60 });
    const { page, open } = await running().enter(running().served.adminKey);
    await open('audit');
    await press(page, 'Verify the chain');
    await page.getByText('The log is as it was written').waitFor();
    await page.getByLabel('Value of the filter').fill('capability_issued');
    await press(page, 'Add filter');
    await page.locator('.rows').getByText('capability_issued').first().waitFor();
    await page.locator('.rows').getByRole('button', { name: 'Detail' }).first().click();
    const entry = await dialog(page, 'Entry of the audit log');
    await entry.getByText('"event_type": "capability_issued"').waitFor();
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
    await press(page, 'Export as CSV');
    await page.getByText('Saved as audit.csv').waitFor();
    await press(page, 'Export as JSON lines');
    await page.getByText('Saved as audit.jsonl').waitFor();
  });

  it('runs maintenance tasks on request, and lists them as jobs', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('jobs');
    await sendForm(page, { opener: 'Run now: lint', submit: 'Run now' });
    await isTold(page, 'lint runs as a job.');
    const { jobs } = (await running().served.ask('GET', '/v1/jobs')).body;
    expect(jobs[0].job_type).to.equal('upkeep.run');
    await page.locator('.rows').getByText('upkeep.run').first().waitFor();
    await page.locator('.rows').getByText('done').first().waitFor();
    await button(page, 'Runs of lint').click();
    await (await dialog(page, 'Runs of lint')).getByText(jobs[0].job_id).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'Show jobs that are', 'failed');
    await page.getByText('No job').waitFor();
    await choose(page, 'Show jobs that are', 'done');
    await page.getByRole('button', { name: 'Detail of upkeep.run' }).first().click();
    await (await dialog(page, 'Job and its result')).getByText(jobs[0].job_id).waitFor();
  });

  it('lists settings by plugin with the value in effect, and finds one by its text', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('settings');
    await page.getByLabel('Search settings').fill('SVC_BOOTSTRAP_KEY');
    await page.getByText('1 setting').first().waitFor();
    const table = page.getByRole('table', { name: 'Settings of keys' });
    await table.getByText('SVC_BOOTSTRAP_KEY').first().waitFor();
    await table.getByText('(set)').waitFor();
    await page.getByText('1 is set').waitFor();
    expect(await page.locator('main').textContent()).to.not.contain(running().served.adminKey);
    await page.getByLabel('Search settings').fill('no such words at all');
    await page.getByText('No setting is like that').waitFor();
    await page.waitForURL(/q=no\+such/);
    // The navigation leads back to all settings.
    await page.locator('nav').getByRole('link', { name: 'Settings' }).click();
    await table.getByText('SVC_BOOTSTRAP_KEY').first().waitFor();
    await choose(page, 'Plugin', 'audit');
    await page.getByRole('table', { name: 'Settings of audit' }).waitFor();
    await table.waitFor({ state: 'detached' });
  });

  it('has rules about relations, which administrators add, change and remove', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('relations');
    await page.getByText('No relation has a rule').waitFor();
    await sendForm(page, { opener: 'Add a rule', texts: { Relation: 'memory:likes' } });
    await isTold(page, 'The rule for memory:likes is set.');
    const table = page.getByRole('table', { name: 'Relations' });
    await table.getByText('many values').waitFor();
    await press(page, 'Change the rule for memory:likes');
    const form = await dialog(page, 'Change the rule for memory:likes');
    await choose(form, 'Holds', 'one value');
    await press(form, 'Change');
    await table.getByText('one value').waitFor();
    await sendForm(page, { opener: 'Remove the rule for memory:likes', submit: 'Remove' });
    await page.getByText('No relation has a rule').waitFor();
  });

  it('lists its plugins in a table, finds one by its route, and links to the settings of each', async () => {
    const { page, open, seriousFindings } = await running().enter(running().served.adminKey);
    await open('plugins');
    expect(await seriousFindings()).to.deep.equal([]);
    const table = page.getByRole('table', { name: 'Plugins' });
    await table.getByText('rate-limits').first().waitFor();
    await page.getByLabel('Search plugins, services and routes').fill('GET /console/files');
    await page.getByText('1 on, 0 off').waitFor();
    await table
      .getByText(/\d+ routes?/)
      .first()
      .click();
    await table.getByText('GET /console/').first().waitFor();
    await page.getByLabel('Search plugins, services and routes').fill('audit');
    await page.getByRole('link', { name: '1 setting: audit', exact: true }).click();
    await page.getByRole('table', { name: 'Settings of audit' }).waitFor();
  });

  it('shows a caller without the audit permission only their own actions', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:reader', ['read']));
    await open('audit');
    await page.getByText('What you did, newest first.').waitFor();
    expect(await button(page, 'Verify the chain').count()).to.equal(0);
    await open('jobs');
    expect(await page.getByRole('button', { name: /^Run now/ }).count()).to.equal(0);
  });
});
