import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const creator = createPrincipal({ entityUri: 'agent:creator', permissions: new Set(['read']) });

const counter = defineOwnPlugin({
  name: 'counter',
  requires: { jobs: JobQueue },
  setup: ({ use }) =>
    use.jobs.handle('test.count', {
      run: async () => ({ counted: 3, secret: 'for the handler alone' }),
      present: async ({ counted }) => ({ counted }),
    }),
});

describe('a job without HTTP', () => {
  let node: TestNode;
  let jobs: JobQueue;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'jobs', counter] });
    jobs = node.kernel.get(JobQueue);
  });
  afterEach(() => node.stop());

  const enqueue = () => jobs.enqueue({ type: 'test.count', tenantId: 'default', creator: 'agent:creator' });

  it('shows its creator the state, and the presented result after its end', async () => {
    const id = await enqueue();
    const waiting = await jobs.read(creator, id);
    expect(waiting).to.deep.include({ id, type: 'test.count', status: 'pending', startedAt: null, result: {} });
    await node.clock.advance(1_000);
    await comesTrue(async () => (await jobs.read(creator, id)).status === 'done');
    const done = await jobs.read(creator, id);
    expect(done).to.deep.include({ result: { counted: 3 }, error: null });
    expect(done.completedAt).to.match(/^2026-/);
  });

  it('shows its state to an administrator of its tenant, and to no other caller', async () => {
    const id = await enqueue();
    const read = new Set(['read', 'admin']);
    expect((await jobs.read(createPrincipal({ permissions: read }), id)).id).to.equal(id);
    const strangers = [createPrincipal(), createPrincipal({ permissions: read, tenantId: 'other' })];
    for (const stranger of strangers) {
      expect(await rejection(jobs.read(stranger, id))).to.include({ code: 'lookup', status: 404 });
    }
    const blind = createPrincipal({ entityUri: 'agent:creator', permissions: new Set(['write']) });
    expect(await rejection(jobs.read(blind, id))).to.include({ code: 'authorization', status: 403 });
  });
});
