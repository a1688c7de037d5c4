import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../../kit/start-served-node.ts';

describe('the commands conflicts and resolve', () => {
  let at: ServedNode;
  beforeEach(async () => {
    at = await startServedNode();
  });
  afterEach(() => at.stop());

  const say = async (v: string, confidence = 1, entity = 'user:noor') => {
    const value = { type: 'string', v };
    const body = { entity, relation: 'memory:role', value, source: `agent:${confidence}`, confidence };
    return (await at.ask('POST', '/v1/facts', body)).body.id as string;
  };
  const contradict = async () => {
    const [ceo, cto] = [await say('CEO'), await say('CTO\u001b[31m', 0.8)];
    const { body } = await at.ask('GET', '/v1/conflicts');
    return { ceo, cto, conflict: body.conflicts[0].conflict_id as string };
  };
  const winner = async () => {
    const { body } = await at.ask('GET', '/v1/facts?entity=user:noor');
    return body.facts.map(({ value }: { value: { v: unknown } }) => value.v);
  };

  it('show both facts of a contradiction side by side', async () => {
    expect((await at.run(['conflicts'])).stderr).to.equal('No contradiction that you may see.\n');
    const { ceo, cto, conflict } = await contradict();
    const { exitCode, stdout, stderr } = await at.run(['conflicts']);
    expect(exitCode).to.equal(0);
    expect(stdout).to.contain(`user:noor memory:role (local): 2 facts, found just now\n${conflict}\n`);
    expect(stdout).to.match(/value +CTO \[31m +CEO\nsource +agent:0\.8 +agent:1\nconfidence +0\.80 +1\.00\n/);
    expect(stdout).to.match(new RegExp(`fact +${cto} +${ceo}\n`));
    expect(stdout).not.to.contain('\u001b');
    expect(stderr).to.equal('"fact-memory-node resolve CONFLICT --winner FACT" settles one.\n');
    const document = JSON.parse((await at.run(['conflicts', '--json'])).stdout);
    expect(document.conflicts).to.have.lengthOf(1);
  });

  it('resolve a conflict with the fact that is right', async () => {
    const { cto, conflict } = await contradict();
    const words = ['resolve', conflict, '--winner', cto, '--note', 'asked Noor'];
    const { exitCode, stdout, stderr } = await at.run(words);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^Settled by the fact [0-9a-f-]{36}\n$/);
    expect(await winner()).to.deep.equal(['CTO\u001b[31m']);
    expect((await at.run(['conflicts', '--all', '--json'])).stdout).to.equal('');
    const resolved = await at.run(['conflicts', '--status', 'resolved']);
    expect(resolved.stdout)
      .to.contain(conflict)
      .and.to.match(/resolved by [0-9a-f-]{36}\n/);
    const again = await at.run(words);
    expect([again.exitCode, again.stdout]).to.deep.equal([1, '']);
  });

  it('resolve a conflict with a new value', async () => {
    const { conflict } = await contradict();
    const { exitCode, stdout } = await at.run(['resolve', conflict, '--value', '7', '--type', 'string', '--json']);
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ conflict_status: 'resolved' });
    expect(await winner()).to.deep.equal(['7']);
  });

  it('ask at a terminal which fact is right, until the answer names one of them', async () => {
    const { conflict } = await contradict();
    const terminal = { columns: 100, answers: ['maybe', '3', '2'] };
    const { exitCode, stdout, stderr } = await at.run(['resolve', conflict.split(':').at(-1) ?? ''], undefined, {
      terminal,
      variables: { NO_COLOR: '1' },
    });
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^Settled by the fact /);
    expect(stderr).to.contain('1.  CTO [31m').and.to.contain('2.  CEO').and.not.to.contain('\u001b');
    expect(stderr.split('Which one is right? 1 to 2').length - 1).to.equal(3);
    expect(await winner()).to.deep.equal(['CEO']);
  });

  it('resolve the only open conflict without its id, and require the id if there are several', async () => {
    const none = await at.run(['resolve', '--value', 'x']);
    expect([none.exitCode, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.contain('there is no open conflict');
    expect((await at.run(['resolve'])).stderr).to.contain('there is no open conflict');
    await contradict();
    expect((await at.run(['resolve', '--value', 'CFO'])).stdout).to.match(/^Settled by the fact /);
    expect(await winner()).to.deep.equal(['CFO']);
    for (const entity of ['user:1', 'user:2']) for (const role of ['a', 'b']) await say(role, 1, entity);
    const several = await at.run(['resolve', '--value', 'x']);
    expect([several.exitCode, several.stdout]).to.deep.equal([1, '']);
    expect(several.stderr).to.contain('several conflicts are open');
  });

  it('leave the conflict open if the user decides nothing', async () => {
    const { conflict } = await contradict();
    for (const answers of [[''], []]) {
      const left = await at.run(['resolve', conflict], undefined, { terminal: { columns: 80, answers } });
      expect([left.exitCode, left.stdout]).to.deep.equal([0, '']);
      expect(left.stderr).to.contain('Nothing was settled.');
    }
    expect((await at.run(['conflicts', '--all', '--json'])).stdout).to.contain(conflict);
  });

  it('refuse arguments that decide nothing, and explain the choices', async () => {
    const { ceo, conflict } = await contradict();
    for (const [words, complaint] of [
      [[conflict], 'hint: name it with --winner'],
      [[conflict, '--winner', ceo, '--value', 'x'], '--winner and --value exclude one another'],
      [[conflict, '--type', 'string'], '--type is the type of --value'],
      [['svc:conflict:00000000-0000-4000-8000-000000000000', '--winner', ceo], 'error: '],
      [[conflict, '--winner', '00000000-0000-4000-8000-000000000000'], 'error: '],
    ] as const) {
      const { exitCode, stdout, stderr } = await at.run(['resolve', ...words]);
      expect([exitCode, stdout], words.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.contain(complaint);
    }
    const terminal = { columns: 80, answers: ['1'] };
    const unknown = await at.run(['resolve', 'svc:conflict:none'], undefined, { terminal });
    expect(unknown.stderr).to.contain('there is no open conflict of this id');
  });

  it('list the conflicts of all pages, one a line', async () => {
    for (let n = 0; n < 3; n += 1) {
      await say('a', 1, `user:${n}`);
      await say('b', 0.5, `user:${n}`);
    }
    const cut = await at.run(['conflicts', '--limit', '2']);
    expect(cut.stderr).to.contain('There is more: add --all.');
    const { stdout } = await at.run(['conflicts', '--all', '--json']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).to.deep.equal(Array.from({ length: 3 }, () => 'unresolved'));
  });
});
