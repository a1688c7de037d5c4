import type { Telemetry } from '../../kernel/plugin-api.ts';
import type { Upkeep } from '../upkeep/upkeep-api.ts';
import { CHECKS } from './lint-api.ts';

/** Publishes the counts of the last scheduled lint. */
export const measureFindings = (telemetry: Telemetry, upkeep: Pick<Upkeep, 'lastResults'>, task: string): void =>
  telemetry.gauge(
    {
      name: 'lint_findings',
      help: 'What the last lint of upkeep has found, by check, outside gardens and over all tenants',
      labels: ['check'],
      of: 'store',
    },
    async () => {
      const results = await upkeep.lastResults(task);
      if (results.length === 0) return [];
      return CHECKS.map((check) => ({
        value: results.reduce((sum, result) => sum + Number(result[check] ?? 0), 0),
        labels: { check },
      }));
    },
  );
