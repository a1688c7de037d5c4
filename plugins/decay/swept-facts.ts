import { areMoreThan, type Counter } from '../../kernel/internal-api.ts';
import { type Principal, requirePermission, requireReadScope } from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import type { JobQueue } from '../jobs/jobs-api.ts';
import type { Decay, SweepJob, SweepRequest, SweepResult } from './decay-api.ts';
import { DECAY_SWEEP } from './decay-words.ts';
import { beginSweep, runSweep, type SweepOwner, type SweepParts, type SweepState, trySweep } from './run-sweep.ts';
import { openSelection } from './select-facts.ts';
import { SWEEP_JOB, sweepPayload } from './sweep-job.ts';
import { type DecayDefaults, rulesOf, type SweepRules } from './sweep-rules.ts';

/** The assumed number of facts that a sweep ends per second, for the estimated duration. */
const FACTS_PER_SECOND = 2_000;
/** The maximum number of sweeps of one caller that wait or run at the same time. */
const MOST_OPEN_JOBS = 4;
const NOTHING: SweepResult = { scanned: 0, decayed: 0 };

export interface DecayParts extends SweepParts {
  readonly defaults: DecayDefaults;
  readonly jobs: JobQueue | undefined;
  readonly audit: AuditLog | undefined;
  readonly decayed: Counter;
}

/** Sweeps over the facts in the store. */
export class SweptFacts implements Decay {
  readonly #parts: DecayParts;

  constructor(parts: DecayParts) {
    this.#parts = parts;
  }

  async sweep(caller: Principal, request: SweepRequest, signal: AbortSignal = NEVER): Promise<SweepResult | SweepJob> {
    requirePermission(caller, 'write');
    if (request.scope !== undefined) requireReadScope(caller, request.scope);
    const rules = rulesOf(request, this.#parts.defaults);
    if (rules === null) return NOTHING;
    if (request.isTrial === true) return trySweep(this.#parts, caller, rules, signal);
    const job = await this.#jobFor(caller, rules);
    if (job !== undefined) return job;
    return this.finish(caller, rules, await beginSweep(this.#parts, caller), { signal });
  }

  /** Runs a scheduled sweep with the settings of the node. */
  async sweepByDefault(caller: Principal, from: SweepState | null, owner: SweepOwner): Promise<SweepResult> {
    const rules = rulesOf({}, this.#parts.defaults);
    if (rules === null) return NOTHING;
    return this.finish(caller, rules, from ?? (await beginSweep(this.#parts, caller)), owner);
  }

  /** Sweeps from the given state to the end, and adds an entry to the audit log. */
  async finish(caller: Principal, rules: SweepRules, from: SweepState, owner: SweepOwner): Promise<SweepResult> {
    const { audit, decayed: counter } = this.#parts;
    const result = await runSweep(this.#parts, caller, rules, from, owner);
    counter.add(result.decayed - from.decayed);
    const { tenantId, entityUri, oidcSub } = caller;
    const detail = {
      scope: rules.scope ?? 'all',
      ttl_seconds: rules.ttlSeconds,
      min_confidence: rules.minConfidence,
      decayed: result.decayed,
    };
    if (result.decayed > 0) await audit?.record({ event: DECAY_SWEEP, tenantId, entityUri, oidcSub, detail });
    return result;
  }

  async #jobFor(caller: Principal, rules: SweepRules): Promise<SweepJob | undefined> {
    const { jobs, facts } = this.#parts;
    if (jobs === undefined) return undefined;
    const { threshold } = jobs;
    const { tenantId, entityUri: creator } = caller;
    const payload = await facts.read(caller, 'query', async (reader) => {
      const { candidates } = await openSelection(reader, rules, this.#parts);
      const isLarge = await areMoreThan(threshold, candidates, { tenantId, snapshot: reader.snapshot });
      return isLarge ? sweepPayload(reader, rules) : undefined;
    });
    if (payload === undefined) return undefined;
    const estimatedSeconds = Math.ceil(threshold / FACTS_PER_SECOND);
    const jobId = await jobs.enqueue({
      type: SWEEP_JOB,
      tenantId,
      creator,
      payload,
      scope: rules.scope ?? 'all',
      estimatedSeconds,
      mostOpen: MOST_OPEN_JOBS,
      // A second request with equal rules adds nothing to a sweep that waits.
      dedupe: { key: JSON.stringify([creator, payload]) },
    });
    return { jobId, estimatedSeconds };
  }
}

const NEVER = new AbortController().signal;
