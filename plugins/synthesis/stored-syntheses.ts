import { areMoreThan } from '../../kernel/internal-api.ts';
import {
  type Facts,
  matchKey,
  type NodeSelf,
  type Principal,
  readEntityUri,
  requirePermission,
  requireReadScope,
} from '../../kernel/plugin-api.ts';
import type { IntactFacts } from '../facts/facts-api.ts';
import type { JobData, JobQueue } from '../jobs/jobs-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';
import { composeSynthesis } from './compose-synthesis.ts';
import { surveyFacts } from './survey-facts.ts';
import type { Syntheses, Synthesis, SynthesisJob, SynthesisRequest } from './synthesis-api.ts';
import { filtersFor, type SynthesisQuery } from './synthesis-filters.ts';
import { SYNTHESIS_JOB, synthesisPayload } from './synthesis-job.ts';

/** The assumed number of facts that are counted per second, for the estimated duration. */
const FACTS_PER_SECOND = 50_000;
/** The maximum number of syntheses of one caller that wait or run at the same time. */
const MOST_OPEN_JOBS = 4;

export interface SynthesisParts {
  readonly facts: Facts;
  readonly self: NodeSelf;
  readonly jobs: JobQueue | undefined;
  readonly intact: IntactFacts | undefined;
  readonly rules: RelationRules | undefined;
}

const isMade = (done: Synthesis | JobData): done is Synthesis => 'factCount' in done;

/** Syntheses of the facts in the store, made on request. */
export class StoredSyntheses implements Syntheses {
  readonly #parts: SynthesisParts;

  constructor(parts: SynthesisParts) {
    this.#parts = parts;
  }

  async make(caller: Principal, request: SynthesisRequest): Promise<Synthesis | SynthesisJob> {
    requirePermission(caller, 'read');
    const { scope } = request;
    if (scope !== undefined) requireReadScope(caller, scope);
    const { facts, jobs, intact, rules } = this.#parts;
    const query = this.#queryOf(request);
    const done = await facts.read(caller, 'query', async (reader): Promise<Synthesis | JobData> => {
      const { asked } = await filtersFor(reader, query);
      const place = { tenantId: caller.tenantId, snapshot: reader.snapshot };
      if (jobs !== undefined && (await areMoreThan(jobs.threshold, asked, place))) {
        return synthesisPayload(reader, query);
      }
      const survey = await surveyFacts(reader, query, { rules });
      const composed = await composeSynthesis(reader, query, survey, { intact, rules });
      return { ...survey, ...composed, scope: query.scope ?? 'all', madeMs: reader.nowMs };
    });
    return isMade(done) ? done : this.#enqueue(caller, query, done);
  }

  #queryOf({
    scope,
    entity,
    minConfidence = 0,
    includeExpired = false,
    limit,
    path,
  }: SynthesisRequest): SynthesisQuery {
    const named = entity === undefined ? null : readEntityUri(entity, `${path ?? 'query'}.entity`);
    const entityKey = named === null ? null : matchKey(named, this.#parts.self.names);
    return { scope: scope ?? null, entityKey, minConfidence, includeExpired, limit };
  }

  async #enqueue(caller: Principal, query: SynthesisQuery, payload: JobData): Promise<SynthesisJob> {
    const jobs = this.#parts.jobs as JobQueue;
    const estimatedSeconds = Math.ceil(jobs.threshold / FACTS_PER_SECOND);
    const jobId = await jobs.enqueue({
      type: SYNTHESIS_JOB,
      tenantId: caller.tenantId,
      creator: caller.entityUri,
      payload,
      scope: query.scope ?? 'all',
      estimatedSeconds,
      mostOpen: MOST_OPEN_JOBS,
      dedupe: { key: JSON.stringify([caller.entityUri, payload]) },
    });
    return { jobId, estimatedSeconds };
  }
}
