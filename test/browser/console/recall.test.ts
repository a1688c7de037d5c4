import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { settled } from './console-browser.ts';
import { describeConsole } from './describe-console.ts';
import { button, fillIn, press } from './reader-steps.ts';

const QUESTION = "When does alice's shop open?";

/** A script that delays frames and timers as a busy machine does, though not the messages of the test. */
const LATE_FRAMES = `
  const later = setTimeout;
  window.setTimeout = (work, ms = 0, ...rest) => later(work, ms + 300, ...rest);
  window.requestAnimationFrame = (work) => later(() => work(performance.now()), 300);
`;

/** Splits a command into words as a shell does, without running it. */
const wordsOf = (command: string): readonly string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { SVC_API_KEY: 'key-of-the-shell' },
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1);

describeConsole('the recall debugger', {}, (running) => {
  before(async () => {
    const values = ['The shop opens in May', 'The shop sells plums', 'Alice opens letters with a knife'];
    for (const [at, v] of values.entries()) {
      const fact = { entity: `shop:${at}`, relation: 'memory:says', value: { type: 'text', v }, confidence: 0.9 };
      await running().served.ask('POST', '/v1/facts', { ...fact, source: 'agent:scribe', scope: 'company' });
    }
  });

  it('sends weights that add up to 1, and shows the parts of each score and the omitted facts', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('recall');
    await fillIn(page, { Question: QUESTION, 'Most facts': '2' });
    await page.getByLabel('Meaning', { exact: true }).press('Home');
    const shares = (await page.locator('.weights output').allTextContents()).map(Number);
    expect(shares[1]).to.equal(0);
    expect(Math.round(shares.reduce((sum, each) => sum + each, 0) * 100)).to.equal(100);
    await press(page, 'Recall');
    await page.locator('.hit').first().waitFor();
    expect(await page.locator('.hit').count()).to.be.within(1, 2);
    await page.locator('.hit').first().getByText('Score').first().waitFor();
    const agreement = page.locator('.hit').first().getByRole('button', { name: 'Agreement' });
    await agreement.press('Shift');
    await page.locator('.hit').first().getByText('0.7 while another fact contradicts it').waitFor();
    expect(page.url()).to.contain('w=60-0-40-0-0');
    await page.reload();
    await page.getByRole('heading', { name: 'Recall debugger' }).waitFor();
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).to.equal(QUESTION);
  });

  it('says what a term of its settings means on focus, with a link to all terms', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('recall');
    const term = page.getByRole('button', { name: 'About Relevance (MMR)' });
    await term.press('Shift');
    await page.getByText('Maximal marginal relevance').waitFor();
    await page.getByRole('link', { name: 'All terms' }).press('Enter');
    await page.waitForURL(/terms#lambda$/);
    await page.locator('#lambda').getByText('Maximal marginal relevance').waitFor();
  });

  it('shows the glossary of the documentation beside the terms of a recall, and searches both', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:reader-of-words', ['read']));
    await open('terms');
    await page.locator('#word-retraction').getByText('a fact with confidence 0').waitFor();
    await page.getByRole('searchbox', { name: 'Search words and meanings' }).fill('which ends the earlier');
    await page.locator('#lambda').waitFor({ state: 'detached' });
    expect(await page.locator('.terms dt').allTextContents()).to.deep.equal(['retraction']);
    await page.getByText('docs/concepts/glossary.md').waitFor();
  });

  it('compares two settings side by side', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('recall');
    await fillIn(page, { Question: QUESTION });
    await press(page, 'Compare with other settings');
    const other = page.getByRole('group', { name: 'Settings B' });
    await fillIn(other, { 'Most facts': '1' });
    await press(page, 'Recall');
    const one = page.getByRole('region', { name: 'Result A' });
    await one.locator('.hit').nth(1).waitFor();
    await page.getByRole('region', { name: 'Result B' }).locator('.hit').first().waitFor();
    await settled(page);
    expect(await page.getByRole('region', { name: 'Result B' }).locator('.hit').count()).to.equal(1);
    await one.getByText('only here').first().waitFor();
    await press(page, 'Compare no more');
    await press(page, 'Recall');
    await page.getByRole('region', { name: 'Result', exact: true }).waitFor();
  });

  it('copies the query as a shell command, without the key', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`recall?q=${encodeURIComponent(QUESTION)}`);
    await page.locator('.hit').first().waitFor();
    await page.getByText('The same for a shell, a program or an agent').click();
    const copied = async (what: string): Promise<string> => {
      await press(page, `Copy ${what}`);
      await button(page, `Copy ${what}`).waitFor({ state: 'detached' });
      await page.evaluate('document.body.append(document.createElement("textarea"))');
      const pasted = page.locator('body > textarea').first();
      await pasted.press('Control+V');
      const text = await pasted.inputValue();
      await page.evaluate('document.querySelector("body > textarea").remove()');
      return text;
    };
    const curl = await copied('curl');
    const words = wordsOf(curl);
    expect(words).to.include.members(['POST', `${running().served.url}/v1/recall`]);
    expect(words).to.include('Authorization: Bearer key-of-the-shell');
    const body = JSON.parse(words.at(-1) ?? '');
    expect(body.query).to.equal(QUESTION);
    expect((await running().served.ask('POST', '/v1/recall', body)).status).to.equal(200);
    const mcp = JSON.parse(await copied('MCP'));
    expect(mcp.params).to.deep.include({ name: 'recall' });
    const call = await running().served.ask('POST', '/v1/mcp', mcp, undefined, { accept: 'application/json' });
    expect(call.body.result?.isError ?? false, JSON.stringify(call.body)).to.equal(false);
    const client = await copied('Client (TypeScript)');
    expect([curl, JSON.stringify(mcp), client].join('\n')).to.not.contain(running().served.adminKey);
  });

  it('retains a question that is typed before the first frame is drawn', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await page.addInitScript({ content: LATE_FRAMES });
    await open('recall');
    await fillIn(page, { Question: QUESTION });
    await press(page, 'Recall');
    await page.locator('.hit').first().waitFor();
  });

  it('shows why the node refuses a query, and retains the typed text', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open(`recall?q=${encodeURIComponent(QUESTION)}&scope=no-such-scope`);
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).to.equal(QUESTION);
  });
});
