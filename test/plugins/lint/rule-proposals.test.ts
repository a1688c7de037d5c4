import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type LintedNode, startLintedNode } from './linted-node.ts';

const WEEK_HOURS = 7 * 24;
const CALL = 'PUT /v1/relations {"pattern":"memory:likes","values":"many"}';

forEachStore('The proposals of lint for relations that may hold many values', () => {
  let at: LintedNode;
  let ids: readonly string[];
  before(async () => {
    at = await startLintedNode({
      plugins: ['keys', 'facts', 'relations', 'conflicts', 'jobs', 'lint'],
      env: { SVC_ASYNC_JOB_THRESHOLD: '20' },
    });
    ids = await tell('memory:likes', 5, ['agent:a', 'agent:a']);
    await tell('memory:hair', 5, ['agent:a', 'agent:b']);
    await tell('memory:pet', 4, ['agent:a', 'agent:a']);
    await at.node.clock.advance(WEEK_HOURS * 3_600_000);
    await tell('memory:mood', 5, ['agent:a', 'agent:a']);
  });
  after(() => at.node.stop());

  const tell = async (relation: string, entities: number, sources: readonly string[]): Promise<string[]> => {
    const told: string[] = [];
    for (let n = 0; n < entities; n += 1) {
      for (const [v, source] of sources.entries()) {
        told.push(await at.say({ entity: `user:${n}`, relation, source, value: { type: 'number', v } }));
      }
    }
    return told;
  };
  const proposed = async (members: object) => (await at.lint({ scope: 'all', ...members })).body.proposed_rules;

  it('include a relation with several values by one source about five entities for a week', async () => {
    const [proposal, ...others] = await proposed({ relation: 'memory:likes' });
    expect(others).to.deep.equal([]);
    expect(proposal).to.deep.equal({ relation: 'memory:likes', fact_ids: [...ids].sort(), call: CALL });
    expect(await proposed({ relation: 'memory:likes', checks: ['stale'] })).to.equal(undefined);
    for (const relation of ['memory:hair', 'memory:pet', 'memory:mood']) {
      expect(await proposed({ relation }), relation).to.equal(undefined);
    }
  });

  it('are also made by lint as a job', async () => {
    const { job_id: job } = (await at.lint({ scope: 'all' })).body;
    const read = (key: string) => at.node.request('GET', `/v1/jobs/${job}`, { key });
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      return (await read(at.key)).body.status === 'done';
    });
    const relations = (await read(at.key)).body.proposed_rules.map(({ relation }: { relation: string }) => relation);
    expect(relations).to.deep.equal(['memory:likes']);
  });

  it('include no relation that already has a rule', async () => {
    const body = { pattern: 'memory:*', values: 'one' };
    expect((await at.node.request('PUT', '/v1/relations', { key: at.admin, body })).status).to.equal(200);
    expect(await proposed({ relation: 'memory:likes' })).to.equal(undefined);
  });
});
