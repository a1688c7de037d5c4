import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSystemClock } from '../../../adapters/clock/system-clock.ts';
import { createNode, type Node } from '../../../config/create-node.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { JobQueue, type JobRun } from '../../../plugins/jobs/jobs-api.ts';
import type { Clock } from '../../../ports/ports.ts';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { comesTrue } from '../../kit/comes-true.ts';

const TYPE = 'test.long';
const BOOTSTRAP_KEY = 'the-key-of-the-first-administrator';

describe('the command jobs', () => {
  const system = createSystemClock();
  const commandClock: Clock = { ...system, schedule: (ms, run) => system.schedule(Math.min(ms, 20), run) };
  let folder: string;
  let node: Node;
  let queue: JobQueue;
  let env: Record<string, string>;
  let runs: JobRun[];
  let release: () => void;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobs-commands-'));
    runs = [];
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const worker = defineOwnPlugin({
      name: 'worker',
      requires: { jobs: JobQueue },
      setup({ use }) {
        queue = use.jobs;
        use.jobs.handle(TYPE, {
          async run(run) {
            runs.push(run);
            run.progress({ done: 30, total: 120 });
            const aborted = new Promise((_, reject) => {
              run.signal.addEventListener('abort', () => reject(new Error('interrupted')));
            });
            await Promise.race([gate, aborted]);
            run.progress({ done: 120, total: 120 });
            return { found: 7 };
          },
          present: async (result) => result,
        });
      },
    });
    node = await createNode({
      env: { SVC_BOOTSTRAP_KEY: BOOTSTRAP_KEY },
      inspectReplies: checkReplies,
      overrides: { adapters: { store: { path: join(folder, 'node.db') }, transport: { port: 0 } } },
      plugins: [worker],
      adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
    });
    const { url } = await node.start();
    env = { SVC_URL: url, SVC_API_KEY: BOOTSTRAP_KEY, XDG_CONFIG_HOME: join(folder, 'config') };
  });
  afterEach(async () => {
    release();
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const jobs = (...argv: string[]) => runInProcess(['jobs', ...argv], { env, clock: commandClock });
  const aJob = () => queue.enqueue({ type: TYPE, tenantId: 'default', creator: 'agent:admin' });

  it('lists and shows jobs with their progress, as a table and as JSON', async () => {
    const id = await aJob();
    await comesTrue(async () => (await jobs('list')).stdout.includes('30 of 120, 25 %'));
    const listed = await jobs('list', '--status', 'running', '--json');
    expect(listed.exitCode).to.equal(0);
    expect(JSON.parse(listed.stdout)).to.deep.include({ job_id: id, job_type: TYPE, status: 'running' });
    expect((await jobs('list', '--type', 'test.other', '--json')).stdout).to.equal('');
    release();
    await comesTrue(async () => (await jobs('show', id)).stdout.includes('done'));
    expect(JSON.parse((await jobs('show', id, '--json')).stdout)).to.deep.include({ status: 'done', found: 7 });
  });

  it('watches a job until it ends, and prints its result', async () => {
    const id = await aJob();
    const watched = jobs('watch', id, '--json');
    await comesTrue(() => runs.length === 1);
    release();
    const { exitCode, stdout, stderr } = await watched;
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ job_id: id, status: 'done', found: 7 });
    expect(stderr).to.contain(`jobs watch ${id}`);
  });

  it('cancels a job and resumes it', async () => {
    const id = await aJob();
    await comesTrue(() => runs.length === 1);
    expect((await jobs('cancel', id)).exitCode).to.equal(0);
    await comesTrue(() => runs[0]?.signal.aborted === true);
    const watched = await jobs('watch', id);
    expect(watched.exitCode).to.equal(1);
    expect(watched.stderr).to.contain('the job has failed: cancelled').and.to.contain(`jobs resume ${id}`);
    release();
    const resumed = await jobs('resume', id, '--watch');
    expect(resumed.exitCode, resumed.stderr).to.equal(0);
    expect(resumed.stdout).to.match(/found +7/);
  });

  it('prints the refusal of the node for an unknown job and for an ended one', async () => {
    const none = await jobs('show', '00000000-0000-4000-8000-000000000000');
    expect([none.exitCode, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.contain('no such job');
    const id = await aJob();
    release();
    await comesTrue(async () => (await jobs('show', id)).stdout.includes('done'));
    const late = await jobs('cancel', id);
    expect(late.exitCode).to.equal(1);
    expect(late.stderr).to.contain('the job has ended already');
    const wrong = await jobs('list', '--status', 'broken');
    expect(wrong.exitCode).to.equal(1);
    expect(wrong.stderr).to.contain('It must be one of: pending, running, done, failed');
  });
});
