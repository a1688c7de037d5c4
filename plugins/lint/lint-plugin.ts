import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Clock, Facts, NodeSelf, optional, Telemetry, Turns } from '../../kernel/plugin-api.ts';
import { JobQueue, jobRoute } from '../jobs/jobs-api.ts';
import { RelationRules } from '../relations/relations-api.ts';
import { Upkeep, upkeepTasks } from '../upkeep/upkeep-api.ts';
import { createLint } from './create-lint.ts';
import { Lint } from './lint-api.ts';
import { lintCommand } from './lint-command.ts';
import { LINT_JOB, lintJob } from './lint-job.ts';
import { LINT_REPORT } from './lint-json.ts';
import { getLintRoute, postLintRoute } from './lint-routes.ts';
import { lintTask } from './lint-task.ts';
import { measureFindings } from './lint-telemetry.ts';

export const lintPlugin = defineOwnPlugin({
  name: 'lint',
  summary: 'Finds contradictions, expired facts, orphans, broken references and relations without a namespace',
  requires: {
    facts: Facts,
    clock: Clock,
    self: NodeSelf,
    jobs: optional(JobQueue),
    upkeep: optional(Upkeep),
    telemetry: Telemetry,
    turns: Turns,
    rules: optional(RelationRules),
  },
  declares: [LINT_REPORT],
  provides: [Lint],
  commands: [lintCommand],
  setup({ use, provide, route, on }) {
    const { facts, clock, self, jobs, upkeep, telemetry, turns, rules } = use;
    const parts = { facts, clock, names: self.names, turns, rules };
    const lint = createLint(parts, jobs);
    provide(Lint, lint);
    route(postLintRoute(lint));
    route(getLintRoute(lint));
    const task = lintTask(parts);
    on(upkeepTasks, () => task);
    if (upkeep !== undefined) measureFindings(telemetry, upkeep, task.name);
    jobs?.handle(LINT_JOB, lintJob(parts));
    if (jobs !== undefined) route(jobRoute(jobs, '/v1/lint/jobs/:id'));
  },
});
