import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startServedNode } from '../../kit/start-served-node.ts';
import { connectUser } from './connected-user.ts';
import { hookUsers } from './hooked-user.ts';
import { TRANSCRIPTS } from './transcripts.ts';

describe('hooks that store notes', () => {
  const at = hookUsers();

  for (const [client, transcript] of Object.entries(TRANSCRIPTS)) {
    it(`store the words of the user once, verbatim, at the end of a session: ${client}`, async () => {
      const said = ['We deploy on Fridays.', 'Noor owns the billing\nservice "x".'];
      await at.user.write('t.jsonl', `not json\n{"half": \n${transcript(said)}{"type":"user","mess`);
      const input = { transcript_path: join(at.user.home, 't.jsonl') };
      const done = await at.hook('session-end', client, input);
      expect([done.exitCode, done.stdout, done.stderr]).to.deep.equal([0, '', '']);
      const stored = await at.notes();
      expect(stored.map(({ v }) => v)).to.have.members(said);
      for (const fact of stored) {
        expect(fact).to.include({ source: 'user:noor', scope: 'local' });
        expect(fact.entity).to.match(/\/acme-web\/note\/[0-9a-f]{16}$/);
      }
      if (client === 'claude-code') expect(stored.map((one) => one.timestamp)).to.include('2026-03-01T09:00:00.000Z');
      await at.hook('session-end', client, input);
      // Runs the hook again without its cache of earlier notes.
      await at.user.run(
        ['hook', 'session-end', '--client', client, '--timeout-ms', '60000'],
        { XDG_CACHE_HOME: join(at.user.home, 'other') },
        JSON.stringify({ ...input, session_id: at.session, cwd: at.user.project }),
      );
      expect(await at.notes()).to.have.lengthOf(2);
      await at.user.write('t.jsonl', transcript([...said, 'One more thing.']));
      await at.hook('session-end', client, input);
      expect((await at.notes()).map(({ v }) => v)).to.have.members([...said, 'One more thing.']);
    });
  }

  it('mask secrets in the notes, cut long ones, and report the number of masked values', async () => {
    const lines = [
      'my password is hunter22',
      'use postgres://noor:pa55@db.example/x',
      'see https://example.com/a/b?c=d',
    ];
    await at.user.write('t.jsonl', TRANSCRIPTS['codex']?.([lines.join('\n'), `long ${'word '.repeat(2_000)}`]) ?? '');
    await at.hook('session-end', 'codex', { transcript_path: join(at.user.home, 't.jsonl') });
    const stored = await at.notes();
    const [short, long] = stored.toSorted((a, b) => a.v.length - b.v.length);
    expect(short?.v).to.equal(
      'my password is ***\nuse postgres://noor:***@db.example/x\nsee https://example.com/a/b?c=d',
    );
    expect(long?.v)
      .to.have.lengthOf.at.most(4_000)
      .and.to.match(/ \[…\]$/);
    expect(await at.log()).to.match(/masked values that look like secrets: 2\n$/);
    for (const [path, text] of Object.entries(await at.user.files())) {
      if (path !== 't.jsonl') expect(text, path).not.to.contain('hunter22').and.not.to.contain('pa55');
    }
  });

  it('use the owner of the key as source if the node enforces source attestation', async () => {
    const strict = await connectUser(await startServedNode({ SVC_SOURCE_ATTESTATION_MODE: 'enforce' }));
    try {
      await strict.write('t.jsonl', TRANSCRIPTS['codex']?.(['Tea at four.']) ?? '');
      const input = JSON.stringify({
        session_id: 's',
        cwd: strict.project,
        transcript_path: join(strict.home, 't.jsonl'),
      });
      await strict.run(['hook', 'session-end', '--client', 'codex', '--timeout-ms', '60000'], {}, input);
      const { body } = await strict.node.ask('GET', '/v1/facts?relation=memory:said');
      expect(body.facts.map(({ source }: { source: string }) => source)).to.deep.equal(['agent:admin']);
    } finally {
      await strict.stop();
      await strict.node.stop();
    }
  });

  it('store no notes with --no-notes, and do nothing below a folder with a .fact-memory-ignore file', async () => {
    await at.say('memory:secret_plan', 'left out');
    await at.user.write('t.jsonl', TRANSCRIPTS['codex']?.(['Said here.']) ?? '');
    const input = { transcript_path: join(at.user.home, 't.jsonl') };
    await at.hook('session-end', 'codex', input, ['--no-notes']);
    expect(await at.notes()).to.deep.equal([]);
    await at.user.write(join(at.user.project, '.fact-memory-ignore'), '');
    await mkdir(join(at.user.project, 'deep', 'er'), { recursive: true });
    const deep = { ...input, cwd: join(at.user.project, 'deep', 'er') };
    await at.hook('session-end', 'codex', deep);
    const start = await at.hook('session-start', 'codex', deep);
    expect([await at.notes(), start.stdout, await at.log()]).to.deep.equal([[], '', undefined]);
  });

  it('identify the project by its git remote, without credentials in the address', async () => {
    await at.say('memory:remote_note', 'lives at example.org/acme/shop', 'service:till');
    await mkdir(join(at.user.project, 'src'));
    await at.user.write(
      join(at.user.project, '.git/config'),
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://noor:t0ken@example.org/acme/shop.git\n',
    );
    await at.user.write(join(at.user.project, '.git/HEAD'), 'ref: refs/heads/main\n');
    const { stdout } = await at.hook('session-start', 'codex', { cwd: join(at.user.project, 'src') });
    expect(stdout).to.contain('lives at example.org/acme/shop').and.not.to.contain('t0ken');
    await at.user.write('t.jsonl', TRANSCRIPTS['codex']?.(['Named by its root.']) ?? '');
    await at.hook('session-end', 'codex', {
      cwd: join(at.user.project, 'src'),
      transcript_path: join(at.user.home, 't.jsonl'),
    });
    expect((await at.notes('example.org/acme/shop'))[0]?.v).to.equal('Named by its root.');
  });
});
