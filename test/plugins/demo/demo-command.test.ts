import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

const CONTESTED = ['--entity', 'demo:project:lantern', '--relation', 'memory:opening'];

describe('the command demo', () => {
  let at: ServedNode;
  beforeEach(async () => {
    at = await startServedNode();
  });
  afterEach(() => at.stop());

  const demo = async (...words: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await at.run(['demo', ...words]);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    return stdout;
  };
  const factCount = async (): Promise<number> => {
    const all = '/v1/facts?include_contradicted=true&include_retracted=true&include_expired=true';
    return (await at.ask('GET', all)).body.total;
  };

  it('shows step by step an assertion, a contradiction, a recall, a resolution and a read of the past', async () => {
    const shown = await demo('--no-pause');
    const titles = [...shown.matchAll(/^(.+)\n-+$/gm)].map(([, title]) => title);
    expect(titles).to.deep.equal([
      'A team and its project',
      'Somebody says something',
      'Somebody says otherwise',
      'Ask a question',
      'Settle it',
      'Ask again',
      'Look back',
      'How it came to be',
    ]);
    const [, first = '', second = '', open = '', settled = '', again = '', back = '', history = ''] = shown
      .split(/^.+\n-+$/m)
      .slice(1);
    expect(first).to.contain('-  1 May\n');
    expect(second).to.contain('-  15 June\n   contradicted\n');
    const [conflict, winner] = [/resolve (\S+) --winner (\S+)/.exec(settled)?.slice(1)].flat();
    expect(second).to.match(new RegExp(`found just now\\n${conflict}\\n[\\s\\S]*\\nfact .*${winner}`));
    expect(open).to.contain('Left out: 2 facts in an open contradiction').and.not.to.contain('15 June');
    expect(settled).to.match(
      /Settled by the fact .*\n[\s\S]*- {2}15 June\n {3}demo:project:lantern memory:opening · agent:admin/,
    );
    expect(again).to.contain('-  15 June\n').and.not.to.contain('left out');
    expect(back).to.contain('-  1 May\n').and.not.to.contain('15 June');
    expect(history).to.match(/asserted +1 May [\s\S]*asserted +15 June [\s\S]*resolved +15 June/);
  });

  it('prints commands that do what the text beside them says', async () => {
    const shown = await demo('--no-pause');
    const commands = [...shown.matchAll(/^\$ fact-memory-node (.+)\n([^$]*)/gm)];
    const reading = commands.filter(([, words = '']) => /^(?:recall|query|history)/.test(words));
    expect(reading).to.have.lengthOf(5);
    // The first recall was before the contradiction was settled.
    for (const [, words = '', answer = ''] of reading.slice(1)) {
      const argv = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const { exitCode, stdout } = await at.run(argv);
      expect(exitCode).to.equal(0);
      for (const [value] of answer.matchAll(/(?<=^- {2}).+$/gm)) expect(stdout, words).to.contain(value);
    }
    for (const word of ['assert', 'conflicts', 'resolve']) {
      expect(commands.some(([, words = '']) => words.startsWith(word))).to.equal(true);
    }
  });

  it('loads about forty facts of several sources and times, all about entities that begin with demo:', async () => {
    await demo();
    const { facts } = (await at.ask('GET', '/v1/facts?limit=500&include_contradicted=true')).body;
    expect(facts.length).to.be.within(38, 50);
    const different = (name: string): number => new Set(facts.map((fact: Record<string, unknown>) => fact[name])).size;
    expect(different('source')).to.be.at.least(4);
    expect(different('timestamp')).to.be.at.least(15);
    expect(different('garden_id')).to.equal(2);
    expect(
      facts.every(({ entity, scope }: Record<string, string>) => /^demo:/.test(entity ?? '') && scope === 'team'),
    ).to.equal(true);
  });

  it('stores nothing twice when it runs again', async () => {
    await demo();
    const count = await factCount();
    expect(await demo()).to.contain('An earlier run has settled it.');
    expect(await factCount()).to.equal(count);
  });

  it('removes its facts on request, and can then run again', async () => {
    await at.run(['assert', 'user:noor', 'memory:role', 'CEO', '--scope', 'team']);
    await demo();
    const count = await factCount();
    expect(await demo('--remove')).to.match(/^Retracted: \d+\nWhat stays: /);
    const left = await at.run(['query', '--all', '--min-confidence', '0.01', '--json']);
    expect(
      left.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).entity),
    ).to.deep.equal(['user:noor']);
    expect(await factCount()).to.be.above(count);
    expect(await demo('--remove')).to.equal('Nothing of the demonstration is there\n');
    expect(await demo()).to.contain('Settled by the fact');
    expect((await at.run(['query', ...CONTESTED])).stdout).to.contain('15 June');
  });

  it('waits for Enter at a terminal, unless an option says otherwise', async () => {
    const terminal = { columns: 100, answers: Array.from({ length: 7 }, () => '') };
    const waited = await at.run(['demo'], undefined, { terminal });
    expect(waited.exitCode).to.equal(0);
    expect(waited.stderr.split('Enter goes on: ').length - 1).to.equal(7);
    const hurried = await at.run(['demo', '--no-pause'], undefined, { terminal });
    expect(hurried.stderr).to.equal('');
  });

  it('says without a valid key how to give one, as other commands do', async () => {
    const [keyless, refused] = [await at.run(['demo'], ''), await at.run(['demo'], 'x'.repeat(64))];
    expect(keyless.stderr).to.match(/^error: .*\nhint: set SVC_API_KEY \(/m);
    expect(refused.stderr).to.match(/^error: the node refuses the key in SVC_API_KEY\nhint: set it to /m);
  });

  it('names the missing permission if the key may not write', async () => {
    const key = 'the-key-of-a-guest-who-only-reads';
    await at.ask('POST', '/v1/auth/keys', { raw_key: key, entity_uri: 'agent:guest', permissions: ['read'] });
    const { exitCode, stderr } = await at.run(['demo'], key);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('error: ').and.to.contain('hint: ');
  });
});
