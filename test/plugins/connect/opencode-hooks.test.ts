import { expect } from 'chai';
import opencodeHooks from '../../../plugins/connect/clients/opencode-hooks.ts';
import { hookUsers } from './hooked-user.ts';

const FILE = '.config/opencode/opencode.json';

describe('the module for the hooks of OpenCode', () => {
  const at = hookUsers();

  /** A host with one session of a person, and one of an agent below it. */
  const hostOf = (said: string) => ({
    directory: at.user.project,
    client: {
      session: {
        get: async ({ path: { id } }: { path: { id: string } }) => ({ data: id === 'agent' ? { parentID: 'p' } : {} }),
        messages: async () => ({
          data: [
            {
              info: { role: 'user', time: { created: 1_767_225_600_000 } },
              parts: [
                { id: 'prt_1', type: 'text', text: said },
                { id: 'prt_2', type: 'text', text: 'recalled and not said', synthetic: true },
              ],
            },
          ],
        }),
      },
    },
  });

  const promptOf = (text: string) => ({ message: { id: 'msg_1' }, parts: [{ id: 'prt_1', type: 'text', text }] });

  it('adds recalled facts to a prompt of the person and notes the prompt, but does nothing for subagents', async () => {
    await at.say('memory:deploys_to', 'the cluster in Oslo');
    await at.user.run(['connect', 'opencode', '--yes']);
    const [[, commands]] = JSON.parse((await at.user.read(FILE)) ?? '').plugin;
    const asUser = (line: string): string => `HOME=${at.user.home} USER=noor ${line} --timeout-ms 60000`;
    const patient = Object.fromEntries(Object.entries<string>(commands).map(([hook, line]) => [hook, asUser(line)]));
    const said = 'Where does acme-web deploy to on Fridays?';
    const { 'chat.message': onPrompt, event } = await opencodeHooks.server(hostOf(said), patient);

    const ofAgent = promptOf(said);
    await onPrompt({ sessionID: 'agent' }, ofAgent);
    await event({ event: { type: 'session.idle', properties: { sessionID: 'agent' } } });
    expect([ofAgent.parts.length, await at.notes()]).to.deep.equal([1, []]);

    const ofPerson = promptOf(said);
    await onPrompt({ sessionID: `person-${at.session}` }, ofPerson);
    expect(ofPerson.parts[1]).to.include({ id: 'prt_10', messageID: 'msg_1', synthetic: true });
    expect(ofPerson.parts[1]?.text).to.match(/^<recalled-memory>\n.*the cluster in Oslo.*<\/recalled-memory>$/s);
    await event({ event: { type: 'session.idle', properties: { sessionID: `person-${at.session}` } } });
    expect((await at.notes()).map(({ v, source }) => [v, source])).to.deep.equal([[said, 'user:noor']]);
  });

  it('leaves a prompt unchanged after a failure, and adds the MCP server unless one is configured', async () => {
    const broken = { prompt: 'no-such-program-anywhere', 'session-start': 'echo no JSON' };
    const hooks = await opencodeHooks.server(hostOf(''), broken);
    const prompt = promptOf('Where does acme-web deploy to?');
    await hooks['chat.message']({ sessionID: 's' }, prompt);
    expect(prompt.parts).to.have.lengthOf(1);
    const named = { mcp: { 'fact-memory': 'mine' } as Record<string, unknown> };
    await hooks.config(named);
    const alone: { mcp?: Record<string, unknown> } = {};
    await (await opencodeHooks.server(hostOf(''))).config(alone);
    expect([named.mcp, alone.mcp]).to.deep.equal([
      { 'fact-memory': 'mine' },
      { 'fact-memory': { type: 'local', command: ['fact-memory-node', 'mcp'] } },
    ]);
  });
});
