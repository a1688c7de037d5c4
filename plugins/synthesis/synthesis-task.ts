import type { Facts } from '../../kernel/plugin-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';
import type { UpkeepTask } from '../upkeep/upkeep-api.ts';
import { surveyFacts } from './survey-facts.ts';

interface SynthesisTaskParts {
  readonly facts: Facts;
  readonly rules: RelationRules | undefined;
}

/** Counts facts outside gardens, so that operators see how many facts and contradictions a memory has. */
export const synthesisTask = ({ facts, rules }: SynthesisTaskParts): UpkeepTask => ({
  name: 'synthesis',
  summary: 'counts facts, expired facts and contradictions',
  per: 'tenant',
  start: ({ caller, job }) =>
    facts.read(caller, 'query', async (reader) => {
      const query = { scope: null, entityKey: null, minConfidence: 0, includeExpired: true, limit: 1 };
      const { signal } = job;
      const counted = (done: number): void => job.progress({ done, total: null });
      const options = { rules, signal, counted };
      const { factCount, expiredCount, contradictionCount } = await surveyFacts(reader, query, options);
      return { fact_count: factCount, expired_fact_count: expiredCount, contradiction_count: contradictionCount };
    }),
});
