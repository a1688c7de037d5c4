import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

describe('the command recall', () => {
  let at: ServedNode;
  before(async () => {
    at = await startServedNode();
    const say = async (entity: string, relation: string, v: string, more: object = {}) => {
      const body = { entity, relation, value: { type: 'string', v }, source: 'agent:s', scope: 'company', ...more };
      expect((await at.ask('POST', '/v1/facts', body)).status).to.equal(201);
    };
    await say('user:noor', 'memory:role', 'head of the harbour');
    await say('user:noor', 'memory:home', 'a boat in the harbour', { scope: 'team' });
    await say('user:noor', 'memory:car', 'red');
    await say('user:noor', 'memory:car', 'blue\u001b[31m', { confidence: 0.6 });
  });
  after(() => at.stop());

  it('lists facts best first, with warnings, and states which facts are omitted and why', async () => {
    const { exitCode, stdout, stderr } = await at.run(['recall', 'Which car has the head of the harbour?']);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^1\. {2}head of the harbour\n {4}user:noor memory:role · agent:s · confidence 1\.00 · /);
    expect(stderr).to.match(/^\d+ of 4000 tokens\n/);
    expect(stderr).to.contain('Left out: 2 in an open contradiction (--include-contradicted shows them).');
  });

  it('shows contradicted facts with a mark on request, and prints no control sequences', async () => {
    const { stdout } = await at.run(['recall', 'Which car does Noor have?', '--include-contradicted']);
    expect(stdout)
      .to.match(/red\n +contradicted\n/)
      .and.to.match(/blue \[31m\n +contradicted\n/);
    expect(stdout).not.to.contain('\u001b');
  });

  it('explains each fact, and states why a named one is missing', async () => {
    const { body } = await at.ask('GET', '/v1/facts?entity=user:noor&relation=memory:car&include_contradicted=true');
    const [{ id }] = body.facts;
    const asked = ['recall', 'Who lives in the harbour?', '--explain', '--why-not', `${id},no-such-fact`];
    const { stdout, stderr } = await at.run(asked);
    expect(stdout.replaceAll(/\s+/g, ' ')).to.contain('place 1 of all, packed as number 1, words ');
    expect(stderr).to.contain(`${id}: it is in an open contradiction\n`);
    expect(stderr).to.contain('no-such-fact: there is no such fact that you may see\n');
  });

  it('stays within the budget, and reports omissions', async () => {
    const { stdout, stderr } = await at.run(['recall', 'harbour', '--budget', '13']);
    expect(stdout).to.contain('1.').and.not.to.contain('2.');
    expect(stderr)
      .to.contain('of 13 tokens')
      .and.to.match(/Left out: .*1 for the budget \(--budget\)/);
  });

  it('says that every fact was left out where that is the reason for an empty answer', async () => {
    const { stdout, stderr } = await at.run(['recall', '--entity', 'user:noor', '--relation', 'memory:car']);
    expect(stdout).to.equal('');
    expect(stderr).to.match(
      /^Every fact that fits was left out\.\n0 of 4000 tokens\nLeft out: 2 in an open contradiction/,
    );
  });

  it('passes every option to the node', async () => {
    const options = ['--scope', 'company', '--entity', 'user:noor', '--relation', 'memory:role', '--depth', '0'];
    const more = ['--weights', 'lexical=0.5,vector=0.5', '--min-confidence', '0.3', '--limit', '5', '--json'];
    const { exitCode, stdout, stderr } = await at.run(['recall', ...options, ...more]);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    const reply = JSON.parse(stdout);
    expect(reply.facts.map(({ fact }: { fact: { relation: string } }) => fact.relation)).to.deep.equal(['memory:role']);
    const past = await at.run(['recall', 'harbour', '--as-of', '2020-01-01T00:00:00Z']);
    expect(past.stdout).to.equal('');
    expect(past.stderr).to.contain('No fact that you may see fits.');
  });

  it('prints each fact once with --json', async () => {
    const { stdout } = await at.run(['recall', 'head of the harbour', '--json']);
    const ids = [...stdout.matchAll(/"id":\s*"([^"]+)"/g)].map(([, id]) => id);
    expect(ids).to.have.lengthOf.above(0);
    expect(ids).to.have.lengthOf(new Set(ids).size);
  });

  it('reads the question from standard input', async () => {
    const { stdout } = await at.run(['recall', '-'], undefined, { input: 'head of the harbour\n' });
    expect(stdout).to.contain('1.  head of the harbour');
  });

  for (const [words, complaint] of [
    [[], 'there is nothing to ask'],
    [['x', '--budget', '0'], 'It must be a whole number of tokens'],
    [['x', '--weights', 'lexical'], 'each weight of --weights must be a number from 0 to 1'],
    [['x', '--weights', 'luck=1'], 'names are lexical, '],
    [['x', '--weights', 'lexical=0.4'], 'must add up to 1'],
    [['x', '--scope', 'galaxy'], 'body.scope'],
    [['x', '--as-of', 'soon'], 'as_of'],
  ] as const) {
    it(`refuses "${words.join(' ')}" and says why`, async () => {
      const { exitCode, stdout, stderr } = await at.run(['recall', ...words]);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain(complaint);
    });
  }
});
