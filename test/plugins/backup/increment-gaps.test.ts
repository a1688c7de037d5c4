import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { BackupPlace, fact, request } from './backup-place.ts';
import { chainsIn, incrementsIn } from './sent-increments.ts';

const LIMIT_MS = 180_000;
const HOUR_MS = 3_600_000;

describe('gaps in the increments of an SQLite store', () => {
  let place: BackupPlace;
  let target: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    place = await BackupPlace.on('sqlite', fewPlugins('backup', 'jobs', 'metrics', 'upkeep'));
    target = place.work.path('target');
    env = { SVC_BACKUP_TARGET: target, SVC_BACKUP_INCREMENT_SECONDS: '1' };
  });
  afterEach(() => place.dispose());

  const chains = (): string[] => chainsIn(target);
  const incrementsOf = (chain: string): string[] => incrementsIn(target, chain);
  /** Starts a node, which begins a chain with this number of increments after its base. */
  const beginChain = async <N extends ServingNode>(count: number, start: () => Promise<N>): Promise<N> => {
    const former = chains().at(-1) ?? '';
    const node = await start();
    for (let sent = 0; sent <= count; sent += 1) {
      await waitUntil('an increment is sent', LIMIT_MS, () => {
        const newest = chains().at(-1) ?? '';
        return newest > former && incrementsOf(newest).length > sent;
      });
      await request(node, 'POST', '/v1/facts', fact('user:a', `note ${sent}`));
    }
    return node;
  };
  const instant = (ms: number): string => new Date(ms).toISOString();
  const untilMs = (name: string | undefined): number => Number(name?.split('-')[1]);
  const verify = (at: string) => place.run(['verify', '--from', target, '--at', at]);

  it('are listed, and a time within is refused with those before and after', async () => {
    const first = await beginChain(1, () => place.startApart(env));
    await first.end('SIGKILL');
    const [former = ''] = chains();
    const endMs = untilMs(incrementsOf(former).at(-1));
    // Without its folder of backups, the next start knows no chain that goes on.
    rmSync(place.backups, { recursive: true });
    const second = await beginChain(1, () => place.start(env));
    await second.end();
    const [chain = ''] = chains().slice(-1);
    expect(chain, 'a chain with a base of its own').to.not.equal(former);
    const beginMs = untilMs(incrementsOf(chain)[0]);
    // As if the first node had been lost an hour earlier.
    for (const name of incrementsOf(former)) {
      renameSync(
        join(target, former, name),
        join(target, former, name.replace(/\d+$/, String(untilMs(name) - HOUR_MS))),
      );
    }
    const gap = `no increments from ${instant(endMs - HOUR_MS)} to ${instant(beginMs)}`;
    const listed = await place.run(['backup', 'list', '--from', target]);
    expect(listed.stderr).to.include(gap);
    const { gaps } = JSON.parse((await place.run(['backup', 'list', '--from', target, '--json'])).stdout);
    expect(gaps).to.deep.equal([{ from: instant(endMs - HOUR_MS), until: instant(beginMs) }]);
    const verified = await verify('latest');
    expect(verified.exitCode, verified.stderr).to.equal(0);
    expect(verified.stderr).to.include(gap);
    for (const command of ['verify', 'restore']) {
      const within = instant(beginMs - 1);
      const refused = await place.run([command, '--from', target, '--at', within]);
      expect(refused.exitCode).to.equal(1);
      const [ends, begins] = [instant(endMs - HOUR_MS), instant(beginMs)];
      expect(refused.stderr).to.include(`the increments of that time end at ${ends}, and the next begin at ${begins}`);
    }
  }).timeout(LIMIT_MS);

  it('by a lost or damaged increment leave the times before it, and both commands name them', async () => {
    const node = await beginChain(3, () => place.start(env));
    await node.end();
    const [chain = ''] = chains();
    const [base, one, lost = '', next = ''] = incrementsOf(chain);
    const reached = `any point in time from ${instant(untilMs(base))} to ${instant(untilMs(one))}`;
    writeFileSync(join(target, chain, lost), 'damaged');
    const damaged = await verify('latest');
    expect(damaged.exitCode).to.equal(1);
    expect(damaged.stderr).to.include(`the increment ${lost} is damaged`).and.include(`restore ${reached}`);
    rmSync(join(target, chain, lost));
    const listed = await place.run(['backup', 'list', '--from', target]);
    expect(listed.stderr).to.include(reached).and.include(`the increment ${next} does not follow`);
    for (const at of ['latest', instant(untilMs(next))]) {
      const refused = await verify(at);
      expect(refused.exitCode, at).to.equal(1);
      expect(refused.stderr, at).to.include('does not follow the one before it').and.include(`restore ${reached}`);
    }
    const before = await verify(instant(untilMs(one)));
    expect(before.exitCode, before.stderr).to.equal(0);
  }).timeout(LIMIT_MS);

  it('show in a metric as soon as the target is away, and go with a chain that begins anew', async () => {
    const node = await beginChain(1, () => place.start(env));
    const age = async (): Promise<number> => {
      const { body } = await request(node, 'GET', '/v1/metrics');
      return Number(/^svc_backup_increment_age_seconds (\S+)$/m.exec(String(body))?.[1] ?? Number.NaN);
    };
    rmSync(target, { recursive: true });
    writeFileSync(target, 'no folder');
    await waitUntil('the age shows the loss', LIMIT_MS, async () => (await age()) > 5);
    rmSync(target);
    mkdirSync(target);
    await waitUntil('another chain begins', LIMIT_MS, () => chains().length > 0);
    await waitUntil('the age is small again', LIMIT_MS, async () => (await age()) < 5);
    await node.end();
  }).timeout(LIMIT_MS);
});
