import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSystemClock } from '../../../adapters/clock/system-clock.ts';
import { createNode, type Node } from '../../../config/create-node.ts';
import type { Clock } from '../../../ports/ports.ts';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';

const KEY = 'the-key-of-the-first-administrator';

describe('the commands decay, synthesis and history', () => {
  const system = createSystemClock();
  const clock: Clock = { ...system, schedule: (ms, run) => system.schedule(Math.min(ms, 20), run) };
  let folder: string;
  let node: Node;
  let env: Record<string, string>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upkeep-commands-'));
    node = await createNode({
      env: { SVC_BOOTSTRAP_KEY: KEY, SVC_ASYNC_JOB_THRESHOLD: '5' },
      inspectReplies: checkReplies,
      overrides: { adapters: { store: { path: join(folder, 'node.db') }, transport: { port: 0 } } },
      adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
    });
    const { url } = await node.start();
    env = { SVC_URL: url, SVC_API_KEY: KEY, XDG_CONFIG_HOME: join(folder, 'config') };
  });
  afterEach(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...words: string[]) => runInProcess(words, { env, clock });
  const say = async (v: string, confidence: number, relation = 'memory:role') => {
    const body = { entity: 'user:noor', relation, value: { type: 'string', v }, source: 'agent:s', confidence };
    const reply = await fetch(`${env['SVC_URL']}/v1/facts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reply.status).to.equal(201);
  };

  it('show how many facts a sweep would end before it ends them', async () => {
    await say('sure', 0.9);
    await say('unsure', 0.1);
    const trial = await run('decay', '--min-confidence', '0.5');
    expect([trial.exitCode, trial.stdout]).to.deep.equal([0, '1 of 2 facts would end.\n']);
    expect(trial.stderr).to.contain('--yes');
    const done = await run('decay', '--min-confidence', '0.5', '--yes');
    expect([done.exitCode, done.stdout]).to.deep.equal([0, '1 of 2 facts have ended.\n']);
    const json = await run('decay', '--min-confidence', '0.5', '--json');
    expect(JSON.parse(json.stdout)).to.deep.equal({ scanned: 1, decayed: 0, dry_run: true });
    expect((await run('decay')).stderr).to.contain('--ttl-seconds');
    const refused = await run('decay', '--min-confidence', 'much');
    expect([refused.exitCode, refused.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code !== 0 && /0 to 1/.test(text),
    );
  });

  it('follow the job that ends many facts', async () => {
    for (let n = 0; n < 7; n += 1) await say(`v${n}`, 0.1, `memory:r${n}`);
    const done = await run('decay', '--ttl-seconds', '0', '--yes');
    expect([done.exitCode, done.stdout]).to.deep.equal([0, '7 of 7 facts have ended.\n']);
    expect(done.stderr).to.match(/job \S+ does the work/);
  });

  it('print a synthesis with contradicting facts, without control characters', async () => {
    await say('sure', 0.9);
    await say('\u001b[31munsure', 0.1);
    const shown = await run('synthesis', '--entity', 'user:noor');
    expect(shown.exitCode).to.equal(0);
    expect(shown.stdout).to.match(/user:noor +memory:role +sure +0\.90 +\[31munsure/);
    expect(shown.stdout).to.contain('2 facts in all scopes, 1 contradiction').and.not.contain('\u001b[31m');
    const json = await run('synthesis', '--scope', 'local', '--json');
    expect(JSON.parse(json.stdout)).to.include({ scope: 'local', fact_count: 2 });
    expect((await run('synthesis', '--scope', 'galaxy')).exitCode).to.equal(1);
  });

  it('print the history of an entity as a timeline with its winners', async () => {
    await say('first', 0.9);
    await say('gone', 0);
    await say('second', 0.8);
    const { exitCode, stdout } = await run('history', 'user:noor');
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/asserted[^\n]*first[\s\S]*ended by retraction[^\n]*first[\s\S]*asserted[^\n]*second/);
    expect(stdout).to.match(
      /Winners:\n {2}memory:role \(local\): first from \S+ to \S+\n {2}memory:role \(local\): second since/,
    );
    const json = await run('history', 'user:noor', '--limit', '2', '--json');
    expect(json.stdout.trim().split('\n')).to.have.length(2);
    expect(json.stderr).to.contain('--limit');
    expect((await run('history', 'user:nobody')).stderr).to.contain('Nothing that you may see');
  });
});
