import type { FactReader } from '../../kernel/plugin-api.ts';
import {
  type CountedView,
  coversRights,
  creatorOf,
  type JobData,
  type JobHandler,
  type JobRun,
  rightsOf,
  seesAllOf,
  type WorkingRights,
} from '../jobs/jobs-api.ts';
import { beginSweep, type SweepOwner, type SweepParts, type SweepState, trySweep } from './run-sweep.ts';
import type { SweepRules } from './sweep-rules.ts';
import type { SweptFacts } from './swept-facts.ts';

export const SWEEP_JOB = 'decay.sweep';

interface Payload extends WorkingRights {
  readonly rules: SweepRules;
}

export const sweepPayload = (reader: FactReader, rules: SweepRules): JobData => {
  const payload: Payload = { rules, ...rightsOf(reader) };
  return { ...payload };
};

export const createSweepHandler = (parts: SweepParts, swept: SweptFacts): JobHandler => ({
  steering: 'write',
  covers: coversRights,
  async run(job) {
    const payload = job.payload as unknown as Payload;
    const { scopes, gardens } = payload;
    // Each piece checks the present gardens again, and leaves out those that the caller has joined since.
    const rules = { ...payload.rules, within: gardens };
    const caller = creatorOf(job, payload);
    const total = totalOf(job.resumedFrom) ?? (await trySweep(parts, caller, rules, job.signal)).scanned;
    const from = stateOf(job.resumedFrom) ?? (await beginSweep(parts, caller));
    const { scanned, decayed } = await swept.finish(caller, rules, from, ownerOf(job, total));
    job.signal.throwIfAborted();
    return { scanned, decayed, dry_run: false, of: { scopes, gardens } };
  },
  // Counts reveal facts, so only a reader of every counted place gets them.
  async present({ of, ...counts }, reader) {
    return of !== undefined && seesAllOf(reader, of as CountedView) ? counts : {};
  },
});

/** Returns hooks with which the sweep of a job continues after its last transaction if the process crashes. */
export const ownerOf = (job: JobRun, total: number | null): SweepOwner => ({
  signal: job.signal,
  guard: (transaction) => job.assertHeld(transaction),
  beforeCommit: (transaction, state) => job.checkpoint({ ...state, total }, transaction),
  reached: ({ scanned }) => job.progress({ done: scanned, total }),
});

export const stateOf = (data: JobData | null): SweepState | null =>
  data === null
    ? null
    : {
        above: Number(data['above']),
        upTo: Number(data['upTo']),
        scanned: Number(data['scanned']),
        decayed: Number(data['decayed']),
      };

const totalOf = (data: JobData | null): number | null => (data === null ? null : Number(data['total']));
