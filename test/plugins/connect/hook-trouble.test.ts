import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROGRAM } from './connected-user.ts';
import { hookUsers } from './hooked-user.ts';
import { TRANSCRIPTS } from './transcripts.ts';

describe('hooks that cannot do their work', () => {
  const at = hookUsers();

  const quiet = async (argv: readonly string[], input: string, more: Readonly<Record<string, string>> = {}) => {
    const { exitCode, stdout, stderr } = await at.user.run(argv, more, input);
    expect([exitCode, stdout, stderr]).to.deep.equal([0, '', '']);
  };
  const input = (members: object = {}) =>
    JSON.stringify({ session_id: 's', cwd: at.user.project, prompt: 'what do we know of this?', ...members });

  it('print nothing and exit with 0 if the node is unreachable or refuses, or the key is missing', async () => {
    for (const name of ['session-start', 'prompt', 'session-end']) {
      await at.user.write('t.jsonl', TRANSCRIPTS['codex']?.(['Lost at noon.']) ?? '');
      const told = input({ transcript_path: join(at.user.home, 't.jsonl') });
      await quiet(['hook', name, '--client', 'codex'], told, { SVC_URL: 'http://127.0.0.1:9' });
      await quiet(['hook', name, '--client', 'codex', '--key-file', join(at.user.home, 'none.key')], told);
      await quiet(['hook', name, '--client', 'codex', '--url', 'ftp://x'], told);
      await quiet(['hook', name, '--client', 'codex', '--timeout-ms', '60000'], told, {
        SVC_API_KEY: 'a-key-that-nobody-has-registered',
      });
    }
    const lines = ((await at.log()) ?? '').trim().split('\n');
    expect(lines).to.have.lengthOf(12);
    expect(lines[0]).to.match(/^\d{4}-\S+Z session-start codex: no answer from /);
  });

  it('print nothing for input that is malformed, empty or too large, or whose transcript is missing', async () => {
    for (const text of ['', '{', '[]', 'null', '"x"', ' '.repeat(4 * 1024 * 1024 + 1)]) {
      await quiet(['hook', 'prompt', '--client', 'claude-code'], text);
    }
    await quiet(
      ['hook', 'session-end', '--client', 'claude-code'],
      input({ transcript_path: join(at.user.home, 'gone') }),
    );
    await quiet(['hook', 'session-end', '--client', 'claude-code'], input({ transcript_path: at.user.home }));
    await quiet(['hook', 'session-end', '--client', 'claude-code'], input({ transcript_path: 7 }));
  });

  it('read only regular files, and do not hang on a named pipe', async () => {
    const pipe = join(at.user.project, '.git');
    execFileSync('mkfifo', [pipe]);
    await quiet(['hook', 'session-start', '--client', 'codex'], input());
    await quiet(['hook', 'session-end', '--client', 'codex'], input({ transcript_path: pipe }));
    expect(await at.log()).to.contain('is not a regular file');
    await rm(pipe);
    for (const name of ['HEAD', 'config']) {
      await at.user.write(join(pipe, 'x'), '');
      execFileSync('mkfifo', [join(pipe, name)]);
    }
    await quiet(['hook', 'session-start', '--client', 'codex'], input());
  });

  it('exit at their deadline, even while standard input stays open', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const words = ['hook', 'prompt', '--client', 'codex', '--timeout-ms', '1'];
    const [program = '', ...args] = PROGRAM;
    // The input stays open, as some clients leave it.
    const child = spawn(program, [...args, ...words], { env: { ...at.user.env, SVC_URL: url }, stdio: 'pipe' });
    child.stdin.write('{"cwd":');
    const [code] = await once(child, 'exit');
    expect(code).to.equal(0);
    silent.closeAllConnections();
    silent.close();
  });

  it('print nothing if no folder is writable', async () => {
    await at.user.write('.cache', 'a file in the place of a folder');
    await quiet(['hook', 'prompt', '--client', 'codex'], input(), { SVC_URL: 'http://127.0.0.1:9' });
    await chmod(join(at.user.home, '.cache'), 0o400);
    await quiet(['hook', 'session-end', '--client', 'codex'], input());
    await quiet(['hook', 'prompt', '--client', 'codex'], input(), { HOME: '' });
  });

  it('time out if the node never replies', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      await quiet(['hook', 'prompt', '--client', 'codex', '--timeout-ms', '50'], input(), { SVC_URL: url });
      expect(await at.log()).to.match(/prompt codex: (it took longer than 50 ms|no answer from)/);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});
