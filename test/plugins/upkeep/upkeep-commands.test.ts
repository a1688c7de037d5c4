import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { sampleOf } from '../metrics/scrape.ts';
import { type CommandedNode, startCommandedNode } from './commanded-node.ts';

describe('the command upkeep', () => {
  let at: CommandedNode;
  beforeEach(async () => {
    at = await startCommandedNode({ SVC_UPKEEP_SCHEDULE: 'lint 0 3 * * *' });
  });
  afterEach(() => at.stop());

  it('shows tasks with their schedule, and the result of the last run', async () => {
    const fresh = await at.run('upkeep', 'status');
    expect(fresh.exitCode).to.equal(0);
    expect(fresh.stdout).to.match(/^task +per +schedule +next +last run +result\n/);
    expect(fresh.stdout).to.match(/\nlint +tenant +0 3 \* \* \* +\d{4}-\d\d-\d\dT03:00:00\S+ +never ran/);
    expect(fresh.stdout).to.match(/\ndecay +tenant +not scheduled +- +never ran/);
    await at.say({ relation: 'role' });
    const ran = await at.run('upkeep', 'run', 'lint');
    expect(ran.exitCode, ran.stderr).to.equal(0);
    expect(ran.stdout).to.contain('fact_count 1').and.to.contain('namespacing 1');
    expect((await at.run('upkeep', 'status')).stdout).to.match(/\nlint .* done \d{4}-\S+ +fact_count 1, findings 1/);
    const { tasks } = JSON.parse((await at.run('upkeep', 'status', '--json')).stdout);
    const lint = tasks.find(({ name }: { name: string }) => name === 'lint');
    expect(lint.runs).to.have.lengthOf(1);
    expect(lint.runs[0]).to.deep.include({ status: 'done' });
    expect(lint.runs[0].result).to.include({ fact_count: 1, namespacing: 1, warnings: 1, errors: 0 });
  });

  it('prints the finished job as JSON, and rejects an unknown task', async () => {
    const { exitCode, stdout } = await at.run('upkeep', 'run', 'lint', '--json');
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ job_type: 'upkeep.run', status: 'done', task: 'lint', fact_count: 0 });
    const unknown = await at.run('upkeep', 'run', 'sweep');
    expect([unknown.exitCode, unknown.stdout]).to.deep.equal([1, '']);
    expect(unknown.stderr).to.contain('no such task of upkeep').and.to.contain('"fact-memory-node upkeep status"');
  });

  it('adds its runs and the findings of lint to the metrics', async () => {
    const none = await at.metrics();
    expect(sampleOf(none, 'svc_lint_findings', { check: 'orphan' })).to.equal(undefined);
    expect(sampleOf(none, 'svc_upkeep_last_success_timestamp_seconds', { task: 'lint' })).to.equal(undefined);
    await at.say({ relation: 'role' });
    await at.say({ relation: 'role', value: { type: 'string', v: 'two' } });
    const beforeMs = Date.now();
    await at.run('upkeep', 'run', 'lint');
    expect(sampleOf(await at.metrics(), 'svc_upkeep_runs_total', { task: 'lint', result: 'done' })).to.equal(1);
    // Values of gauges are cached for a moment.
    await comesTrue(async () => sampleOf(await at.metrics(), 'svc_lint_findings', { check: 'orphan' }) !== undefined);
    const text = await at.metrics();
    const found = (check: string) => sampleOf(text, 'svc_lint_findings', { check });
    expect([found('contradiction'), found('namespacing'), found('orphan')]).to.deep.equal([1, 2, 0]);
    const doneAt = sampleOf(text, 'svc_upkeep_last_success_timestamp_seconds', { task: 'lint' });
    expect(doneAt).to.be.within(Math.floor(beforeMs / 1000), Date.now() / 1000);
    expect(sampleOf(text, 'svc_upkeep_last_success_timestamp_seconds', { task: 'decay' })).to.equal(undefined);
  });
});
