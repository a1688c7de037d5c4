import { TRUNCATED_JSON } from '../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  defineComponent,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { CHECKS, type Check, type Finding, type LintQuestion, type RuleProposal, SEVERITIES } from './lint-api.ts';

const FINDING_JSON = objectOf({
  check: { type: 'string', enum: CHECKS },
  severity: { type: 'string', enum: SEVERITIES },
  entity: STRING_JSON,
  relation: orNull(STRING_JSON),
  fact_ids: listOf(STRING_JSON),
  detail: STRING_JSON,
});

/** The answer of a run without a job. */
export const LINT_REPORT = defineComponent('LintReport', {
  summary: 'the findings of a check',
  json: objectOf(
    {
      findings: listOf(FINDING_JSON),
      proposed_rules: listOf(objectOf({ relation: STRING_JSON, fact_ids: listOf(STRING_JSON), call: STRING_JSON })),
      truncated: TRUNCATED_JSON,
      checked_at: INSTANT_JSON,
      scope: { type: 'string', enum: [...SCOPES, 'all'] },
      entity: STRING_JSON,
      relation: STRING_JSON,
      checks_run: listOf({ type: 'string', enum: CHECKS }),
      fact_count: COUNT_JSON,
    },
    { optional: ['proposed_rules', 'truncated', 'entity', 'relation'] },
  ),
});

export const findingJson = ({ check, severity, entity, relation, factIds, detail }: Finding) => ({
  check,
  severity,
  entity,
  relation,
  fact_ids: factIds,
  detail,
});

const proposalJson = ({ relation, factIds }: RuleProposal) => ({
  relation,
  fact_ids: factIds,
  call: `PUT /v1/relations ${JSON.stringify({ pattern: relation, values: 'many' })}`,
});

export interface LintSummary {
  readonly proposals: readonly RuleProposal[];
  readonly checkedMs: number;
  readonly isTruncated: boolean;
  /** Absent for a reader who may not learn it. */
  readonly factCount: number | undefined;
}

/** The members beside the findings. */
export const lintMembers = (
  { scope, entity, relation }: LintQuestion,
  checks: readonly Check[],
  { proposals, checkedMs, isTruncated, factCount }: LintSummary,
) => ({
  ...(proposals.length > 0 ? { proposed_rules: proposals.map(proposalJson) } : {}),
  ...(isTruncated ? { truncated: true } : {}),
  checked_at: formatInstant(checkedMs),
  scope,
  ...(entity === undefined ? {} : { entity }),
  ...(relation === undefined ? {} : { relation }),
  checks_run: checks,
  ...(factCount === undefined ? {} : { fact_count: factCount }),
});
