import type { UpkeepTask } from '../upkeep/upkeep-api.ts';
import { CHECKS, type LintQuestion, SEVERITIES } from './lint-api.ts';
import { type LintParts, lintInJob } from './lint-job.ts';

const EVERYTHING: LintQuestion = { scope: 'all' };

/**
 * The scheduled lint: every scope, outside gardens. It records only the number of findings; a lint by hand lists them.
 */
export const lintTask = (parts: LintParts): UpkeepTask => ({
  name: 'lint',
  summary: 'counts contradictions, expired facts, orphans, broken references and relations without a namespace',
  per: 'tenant',
  async start({ caller, job }) {
    const { findings, isTruncated, factCount } = await lintInJob(parts, job, { caller, gardens: 'all' }, EVERYTHING);
    const counts: Record<string, number> = {};
    for (const check of CHECKS) counts[check] = findings.filter((one) => one.check === check).length;
    for (const severity of SEVERITIES) {
      counts[`${severity}s`] = findings.filter((one) => one.severity === severity).length;
    }
    return { fact_count: factCount, findings: findings.length, ...counts, ...(isTruncated ? { truncated: true } : {}) };
  },
});
