import { ledgerPieces } from '../../kernel/internal-api.ts';
import type { FactReader, Facts } from '../../kernel/plugin-api.ts';
import type { IntactFacts } from '../facts/facts-api.ts';
import {
  type CountedView,
  coversRights,
  creatorOf,
  hadGardens,
  type JobData,
  type JobHandler,
  type JobRun,
  rightsOf,
  seesAllOf,
  type WorkingRights,
} from '../jobs/jobs-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';
import { type ComposedSynthesis, composeSynthesis } from './compose-synthesis.ts';
import { type Survey, surveyFacts } from './survey-facts.ts';
import { filtersFor, type SynthesisQuery } from './synthesis-filters.ts';
import { synthesisJson } from './synthesis-json.ts';

export const SYNTHESIS_JOB = 'synthesis.make';

interface Payload extends WorkingRights {
  readonly query: SynthesisQuery;
}

/** The stored result of a job: ids, counts, and the view behind the counts. */
interface Kept extends Survey, CountedView {
  readonly query: SynthesisQuery;
  readonly madeMs: number;
}

export const synthesisPayload = (reader: Pick<FactReader, 'caller' | 'gardens'>, query: SynthesisQuery): JobData => {
  const payload: Payload = { query, ...rightsOf(reader) };
  return { ...payload };
};

export interface SynthesisJobParts {
  readonly facts: Facts;
  readonly intact: IntactFacts | undefined;
  readonly rules: RelationRules | undefined;
}

export const createSynthesisHandler = ({ facts, intact, rules }: SynthesisJobParts): JobHandler => ({
  covers: coversRights,
  run(job) {
    const payload = job.payload as unknown as Payload;
    return facts.read(creatorOf(job, payload), 'query', async (reader) => {
      const kept = await keepSurvey(reader, payload, job, rules);
      return { ...kept };
    });
  },
  async present(result, reader) {
    const kept = result as unknown as Kept;
    const composed = await composeSynthesis(reader, kept.query, kept, { intact, rules });
    const counts = seesAllOf(reader, kept) ? kept : countsOf(composed);
    return synthesisJson({ ...composed, ...counts, scope: kept.query.scope ?? 'all', madeMs: kept.madeMs });
  },
});

/** Surveys the facts for a job, which reports progress and can be stopped. */
const keepSurvey = async (
  reader: FactReader,
  payload: Payload,
  job: JobRun,
  rules: RelationRules | undefined,
): Promise<Kept> => {
  const { signal } = job;
  const { query } = payload;
  const total = await totalOf(reader, query, signal);
  // Reports no progress if the caller has joined further gardens.
  const counted = (done: number): void => {
    if (hadGardens(payload, reader.gardens)) job.progress({ done, total });
  };
  const survey = await surveyFacts(reader, query, { rules, signal, counted });
  const scopes = [...reader.caller.allowedScopes];
  return { ...survey, query, madeMs: reader.nowMs, scopes, gardens: reader.gardens };
};

const totalOf = async (reader: FactReader, query: SynthesisQuery, signal: AbortSignal): Promise<number> => {
  const { caller, snapshot } = reader;
  const { asked: filter } = await filtersFor(reader, query);
  const { number: upTo } = await snapshot.ledgerHead(caller.tenantId);
  let total = 0;
  for await (const piece of ledgerPieces(caller.tenantId, { upTo })) {
    signal.throwIfAborted();
    total += await snapshot.ledgerCount({ ...piece, filter });
  }
  return total;
};

const countsOf = ({ facts, triples }: ComposedSynthesis) => ({
  factCount: facts.length,
  filteredCount: 0,
  expiredCount: facts.filter(({ isExpired }) => isExpired).length,
  contradictionCount: triples.filter(({ isContradicted }) => isContradicted).length,
});
