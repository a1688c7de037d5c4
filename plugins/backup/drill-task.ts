import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { JobData } from '../jobs/jobs-api.ts';
import type { UpkeepTask } from '../upkeep/upkeep-api.ts';

/** The line that a failed command says last. */
const MOST_SAID = 500;

/**
 * Runs the command in a process of its own, because reading a whole store takes the time of the process that serves.
 * The command keeps the place, the outcome and the lease.
 */
export const createDrillTask = (commandLine: (command: readonly string[]) => readonly string[]): UpkeepTask => ({
  name: 'drill',
  summary: 'restores the newest backup into a throw-away place, and checks it there',
  per: 'node',
  async start({ job }): Promise<JobData> {
    const [program = '', ...argv] = commandLine(['backup', 'drill', '--json']);
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'], signal: job.signal });
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (exitCode !== 0 || stdout === '') {
      throw new ServiceError('conflict', `the drill failed: ${stderr.trim().slice(-MOST_SAID)}`, {
        hint: 'run "fact-memory-node backup drill" on the machine of the node, and make a new backup',
      });
    }
    const { backup, entries, compared } = JSON.parse(stdout) as Readonly<Record<string, string | number>>;
    return { backup: String(backup), entries: Number(entries), compared: Number(compared) };
  },
});
