import { expect } from 'chai';
import { type CommandedNode, startCommandedNode } from '../upkeep/commanded-node.ts';

describe('the command lint', () => {
  let at: CommandedNode;
  beforeEach(async () => {
    at = await startCommandedNode({ SVC_ASYNC_JOB_THRESHOLD: '3' });
  });
  afterEach(() => at.stop());

  it('prints a message without findings, and exits with 0', async () => {
    await at.say();
    const { exitCode, stdout } = await at.run('lint', '--fail-on', 'warning');
    expect([exitCode, stdout]).to.deep.equal([0, '0 errors, 0 warnings, 0 info in 1 fact\n']);
  });

  it('lists findings by check, with the number of each severity', async () => {
    await at.say({ relation: 'role' });
    await at.say({ relation: 'role', value: { type: 'ref', v: 'user:none' } });
    const { exitCode, stdout } = await at.run('lint');
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^contradiction \(1\)\nseverity +entity +relation +fact +what\n/);
    expect(stdout).to.match(/error +user:noor +role +\S+ and 1 more +2 live facts of scope company/);
    expect(stdout).to.match(/\nbroken_ref \(1\)\n[\s\S]*\nnamespacing \(2\)\n/);
    expect(stdout).to.match(/1 error, 3 warnings, 0 info in 2 facts\n$/);
    const some = await at.run('lint', '--checks', 'broken_ref', '--scope', 'company', '--entity', 'user:noor');
    expect(some.stdout).to.contain('0 errors, 1 warning, 0 info in 2 facts').and.not.contain('namespacing');
    expect((await at.run('lint', '--scope', 'team')).stdout).to.contain('in 0 facts');
  });

  it('prints the reply of the node as JSON', async () => {
    await at.say({ relation: 'role' });
    const { stdout } = await at.run('lint', '--json', '--checks', 'namespacing,stale');
    const document = JSON.parse(stdout);
    expect(document).to.deep.include({ scope: 'all', checks_run: ['stale', 'namespacing'], fact_count: 1 });
    expect(document.findings).to.have.lengthOf(1);
    expect(document.findings[0]).to.include({ check: 'namespacing', severity: 'warning', relation: 'role' });
  });

  it('fails if there are findings of the given severity', async () => {
    await at.say({ relation: 'role' });
    const codes = async (...words: string[]) => (await at.run('lint', ...words)).exitCode;
    expect(await codes()).to.equal(0);
    expect(await codes('--fail-on', 'error')).to.equal(0);
    expect(await codes('--fail-on', 'warning')).to.equal(1);
    expect(await codes('--fail-on', 'warning', '--json')).to.equal(1);
    await at.say({ relation: 'role', value: { type: 'string', v: 'two' } });
    expect(await codes('--fail-on', 'error')).to.equal(1);
    const unknown = await at.run('lint', '--fail-on', 'info');
    expect([unknown.exitCode, unknown.stdout]).to.deep.equal([1, '']);
    expect(unknown.stderr).to.contain('--fail-on must be error or warning');
    const wrong = await at.run('lint', '--scope', 'galaxy');
    expect([wrong.exitCode, wrong.stdout]).to.deep.equal([1, '']);
  });

  it('follows the job that checks many facts', async () => {
    for (const entity of ['user:a', 'user:b', 'user:c', 'user:d']) await at.say({ entity, relation: 'role' });
    const { exitCode, stdout, stderr } = await at.run('lint', '--fail-on', 'warning');
    expect(exitCode, stderr).to.equal(1);
    expect(stdout).to.contain('namespacing (4)').and.to.contain('0 errors, 4 warnings, 0 info in 4 facts');
    expect(stderr).to.match(/job \S+ does the work/);
  });
});
