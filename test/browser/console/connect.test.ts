import { expect } from 'chai';
import { describeConsole, LOOKS } from './describe-console.ts';
import { button, choose, countClicks, isTold, press, takeSecret } from './reader-steps.ts';

/** Lets requests for keys reach the node, and loses the replies. */
const LOSES_KEY_REPLIES = `const asked = window.fetch; window.fetch = async (to, ...more) => {
  const reply = await asked(to, ...more);
  if (String(to.url ?? to).endsWith('/v1/auth/keys')) throw new TypeError('lost');
  return reply;
};0`;

describeConsole('connecting an agent in the console', {}, (running) => {
  const linesOf = async (name: string) => {
    const { clients } = (await running().served.ask('GET', '/v1/connect/clients')).body;
    return clients.find((client: { name: string }) => client.name === name);
  };

  it('takes four clicks: a key, its lines and a test', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('connect');
    await page.getByText(`${running().served.url}/v1/mcp`).first().waitFor();
    await choose(page, 'Client', 'Cursor');
    const clicks = await countClicks(page);
    await press(page, 'Make a key for Cursor');
    const key = await takeSecret(page, 'The key of the agent');
    await isTold(page, 'A key for agent:cursor is made.');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Make a key for Cursor');
    const { text, command } = await linesOf('cursor');
    const shown = (given: string): string => given.replaceAll('{address}', running().served.url);
    await page.getByText('Put these lines into ~/.cursor/mcp.json.').waitFor();
    const lines = await page.locator('pre').allTextContents();
    expect(lines).to.deep.equal([shown(command), shown(text)]);
    expect(lines.join()).to.not.contain(key);
    await press(page, 'Copy the lines');
    await press(page, 'Test the connection');
    await page.getByText('It works: the node answers agent:cursor by MCP.').waitFor();
    expect(await clicks()).to.equal(4);
  });

  it('makes one key for two clicks, and shows it also when the reply is lost', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('connect?client=zed');
    await page.evaluate(LOSES_KEY_REPLIES);
    await page.evaluate(
      'for (const at of [0, 1]) setTimeout(() => document.querySelector("main button.primary")?.click(), at)',
    );
    const key = await takeSecret(page, 'The key of the agent');
    await isTold(page, 'The node has not confirmed that the key of agent:zed is registered.');
    expect((await running().served.ask('GET', '/v1/me', undefined, key)).body.entity_uri).to.equal('agent:zed');
    const all = (await running().served.ask('GET', '/v1/auth/keys?all=true&search=agent:zed')).body;
    expect(all).to.have.length(1);
  });

  it('shows a reader the lines, tells whom to ask for a key, and tests as the reader', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:reader', ['read']));
    await open('connect?client=zed');
    await page.getByText('Ask an administrator for a key').waitFor();
    expect(await button(page, 'Make a key for Zed').count()).to.equal(0);
    await press(page, 'Test the connection');
    await page.getByText('It works: the node answers agent:reader by MCP.').waitFor();
  });

  it('fits each screen size and colour scheme, without a serious accessibility finding', async () => {
    for (const look of LOOKS) {
      const { page, open, seriousFindings } = await running().enter(running().served.adminKey, look);
      const name = `${look.viewport.width} ${look.colorScheme}`;
      await open('connect?client=vscode');
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), name).to.equal(false);
      expect(await seriousFindings(), name).to.deep.equal([]);
      await press(page, 'Make a key for VS Code');
      await page.getByRole('dialog').waitFor();
      expect(await seriousFindings(), `${name}, dialog`).to.deep.equal([]);
    }
  });
});
