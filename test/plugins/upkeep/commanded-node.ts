import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSystemClock } from '../../../adapters/clock/system-clock.ts';
import { createNode } from '../../../config/create-node.ts';
import type { Clock } from '../../../ports/ports.ts';
import { type CommandResult, runInProcess } from '../../adapters/cli/run-in-process.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';

const KEY = 'the-key-of-the-first-administrator';
/** The longest pause of a command between two requests for a job. */
const LOOK_MS = 20;

/** A node that listens, and commands with the key of its first administrator. */
export interface CommandedNode {
  run(...words: string[]): Promise<CommandResult>;
  /** Asserts a fact: by default, `user:noor` has the role `one`. */
  say(members?: object): Promise<void>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

export const startCommandedNode = async (env: Readonly<Record<string, string>> = {}): Promise<CommandedNode> => {
  const system = createSystemClock();
  const clock: Clock = { ...system, schedule: (ms, run) => system.schedule(Math.min(ms, LOOK_MS), run) };
  const folder = await mkdtemp(join(tmpdir(), 'commanded-'));
  const node = await createNode({
    env: { SVC_BOOTSTRAP_KEY: KEY, ...env },
    inspectReplies: checkReplies,
    overrides: { adapters: { store: { path: join(folder, 'node.db') }, transport: { port: 0 } } },
    adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
  });
  const { url } = await node.start();
  const commandEnv = { SVC_URL: url, SVC_API_KEY: KEY, XDG_CONFIG_HOME: join(folder, 'config') };
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
  return {
    run: (...words) => runInProcess(words, { env: commandEnv, clock }),
    async say(members) {
      const fact = { entity: 'user:noor', relation: 'memory:role', value: { type: 'string', v: 'one' } };
      const body = JSON.stringify({ ...fact, source: 'agent:s', scope: 'company', ...members });
      const reply = await fetch(`${url}/v1/facts`, { method: 'POST', headers, body });
      expect(reply.status).to.equal(201);
    },
    metrics: async () => (await fetch(`${url}/v1/metrics`, { headers })).text(),
    async stop() {
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
