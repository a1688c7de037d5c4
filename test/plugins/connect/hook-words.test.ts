import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { hookUsers } from './hooked-user.ts';

const prompt = (content: unknown, more: object = {}) => ({
  type: 'user',
  uuid: JSON.stringify(content),
  message: { role: 'user', content },
  ...more,
});
const answer = (text: string) => ({
  type: 'assistant',
  uuid: text,
  message: { role: 'assistant', content: [{ type: 'text', text }] },
});

describe('user prompts that hooks store as notes', () => {
  const at = hookUsers();

  const end = async (lines: readonly object[], more: readonly string[] = []) => {
    await at.user.write('t.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
    await at.hook('session-end', 'claude-code', { transcript_path: join(at.user.home, 't.jsonl') }, more);
  };
  const noted = async () => (await at.notes()).map(({ v }) => v);

  it('omit text that the client adds, commands, and short replies', async () => {
    const harness = [
      '[Request interrupted by user]',
      '[Request interrupted by user for tool use]',
      '<system-reminder>Keep to the plan.</system-reminder>',
      '<local-command-stdout>ok</local-command-stdout>',
      '<command-name>/clear</command-name>\n<command-args></command-args>',
      '<bash-input>npm test</bash-input>',
      '# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>Be brief.</INSTRUCTIONS>',
      'This session is being continued from a previous conversation that ran out of context.',
      '[Image #1]',
    ];
    const commands = [
      '/compact keep the plan',
      '/clear',
      '/git:commit all of it',
      '/tmpfiles now',
      '! npm test',
      '!ls -la',
    ];
    const replies = [
      'yes',
      '1',
      'continue',
      'Yes, please.',
      'go on',
      'ok',
      'ja',
      'weiter',
      'sí',
      '好的',
      '继续',
      '👍',
      'y',
    ];
    await end([...harness, ...commands, ...replies].map((text) => prompt(text)));
    expect(await noted()).to.deep.equal([]);
  });

  it('include a line that begins with an absolute path', async () => {
    const lines = ['/tmp is full, clean it', '/etc needs a backup', '/usr/lib holds old modules'];
    await end(lines.map((text) => prompt(text)));
    expect((await noted()).sort()).to.deep.equal([...lines].sort());
  });

  it('include a name and value without a blank between them, with secrets masked', async () => {
    await end(['密码：hunter2abc', 'password=hunter2abc', '部署端口：8443'].map((text) => prompt(text)));
    expect(await noted()).to.have.members(['密码：***', 'password=***', '部署端口：8443']);
  });

  it('include text of the person in angle brackets, and beside text that the client adds', async () => {
    const own = [
      '<div> tag does not close, fix it',
      '<T> generics are broken in parse()',
      '/etc/hosts is wrong on the build server',
      'Why does <system-reminder> appear in my log?',
      '部署到生产环境之前先备份',
      'yes, but keep the old name of the table',
    ];
    const parts = [
      { type: 'text', text: '<system-reminder>Today is Monday.</system-reminder>' },
      { type: 'text', text: 'Please keep the tests in vitest.' },
    ];
    const mixed = '<ide_opened_file>a.ts</ide_opened_file>\nRename this module to ledger';
    await end([...own, parts, mixed].map((text) => prompt(text)));
    expect(await noted()).to.have.members([...own, 'Please keep the tests in vitest.', 'Rename this module to ledger']);
  });

  it('are read in time that grows with the transcript, even if many elements have no end', async () => {
    const open = '<system-reminder>'.repeat(220_000);
    const said = ['first', 'second', 'third'].map((pier) => `The ferry goes from the ${pier} pier`);
    for (const text of said) {
      await end([prompt(open), prompt(text)]);
      at.nextSession();
    }
    expect(await noted()).to.have.members(said);
  });

  it('are not stored again for a session that was resumed, forked or compacted', async () => {
    const lines = ['Use tabs in Makefiles only', 'The demo is on Thursday'].map((text, day) =>
      prompt(text, { timestamp: `2026-11-2${day}T09:00:00.000Z` }),
    );
    await end(lines);
    at.nextSession();
    await end(lines.map((line, number) => ({ ...line, sessionId: 'other', uuid: `fork-${number}` })));
    at.nextSession();
    await end([prompt('Summary of before', { isCompactSummary: true }), ...lines]);
    expect(await noted()).to.have.lengthOf(2);
  });

  it('wait in a file while the node is unreachable, and are sent by the next hook', async () => {
    let isUp = false;
    const proxy = createServer((incoming, outgoing) => {
      if (!isUp) return void incoming.socket.destroy();
      const { method, url = '', headers } = incoming;
      const onward = request(`${at.user.url}${url}`, { method: method ?? 'GET', headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const env = { SVC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const hook = (name: string, more: object) =>
      at.user.run(
        ['hook', name, '--client', 'codex', '--timeout-ms', '60000'],
        env,
        JSON.stringify({ session_id: 's', cwd: at.user.project, ...more }),
      );
    try {
      await at.user.write('t.jsonl', JSON.stringify(prompt('The crane is rented until June, password is hunter22')));
      await hook('session-end', { transcript_path: join(at.user.home, 't.jsonl') });
      expect(await noted()).to.deep.equal([]);
      const kept = Object.entries(await at.user.files()).filter(([path]) => path.includes('pending-notes'));
      expect(kept).to.have.lengthOf(1);
      expect(kept[0]?.[1]).not.to.contain('hunter22');
      isUp = true;
      await hook('session-start', {});
      expect(await noted()).to.deep.equal(['The crane is rented until June, password is ***']);
      expect(Object.keys(await at.user.files()).filter((path) => path.includes('pending-notes'))).to.deep.equal([]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('trigger a recall although they are short, in scripts without blanks', async () => {
    await at.say('memory:hours', '仓库大门早上七点开门', 'place:warehouse');
    const { stdout } = await at.hook('prompt', 'codex', { prompt: '仓库大门几点开门？' });
    expect(stdout).to.contain('七点');
  });

  it('are followed by conclusions of the agent with --note agent', async () => {
    const lines = [
      prompt('Why does the pump of the greenhouse stop?'),
      answer('Let me look.'),
      answer('The pump of the greenhouse stops because its fuse is too small.'),
      prompt('The pump of the greenhouse must never run at night'),
    ];
    await end(lines);
    expect(await noted()).to.have.lengthOf(2);
    at.nextSession();
    await end(lines, ['--note', 'agent']);
    const notes = await at.notes();
    const ofAgent = notes.filter(({ source }) => source === 'agent:claude-code');
    expect(ofAgent.map(({ v, entity }) => [v, /\/note\/agent-[0-9a-f]{16}$/.test(entity)])).to.deep.equal([
      ['The pump of the greenhouse stops because its fuse is too small.', true],
    ]);
    at.nextSession();
    const { stdout } = await at.hook('prompt', 'codex', {
      prompt: 'Why does the pump of the greenhouse stop, its fuse?',
    });
    expect(stdout.indexOf('fuse is too small')).to.be.greaterThan(stdout.indexOf('never run at night'));
    expect(stdout).to.contain('never run at night');
  });
});
