import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Facts, NodeSelf, optional } from '../../kernel/plugin-api.ts';
import { IntactFacts } from '../facts/facts-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { RelationRules } from '../relations/relations-api.ts';
import { upkeepTasks } from '../upkeep/upkeep-api.ts';
import { StoredSyntheses } from './stored-syntheses.ts';
import { Syntheses } from './synthesis-api.ts';
import { synthesisCommand } from './synthesis-command.ts';
import { createSynthesisHandler, SYNTHESIS_JOB } from './synthesis-job.ts';
import { SYNTHESIS } from './synthesis-json.ts';
import { synthesisByPostRoute, synthesisOfScopeRoute, synthesisRoute } from './synthesis-routes.ts';
import { synthesisTask } from './synthesis-task.ts';

export const synthesisPlugin = defineOwnPlugin({
  name: 'synthesis',
  summary: 'Sums up the facts of a scope: the strongest of them, the winner of each triple, and counts',
  requires: {
    facts: Facts,
    self: NodeSelf,
    jobs: optional(JobQueue),
    intact: optional(IntactFacts),
    rules: optional(RelationRules),
  },
  declares: [SYNTHESIS],
  provides: [Syntheses],
  commands: [synthesisCommand],
  setup({ use, provide, route, on }) {
    const syntheses = new StoredSyntheses(use);
    provide(Syntheses, syntheses);
    route(synthesisRoute(syntheses));
    route(synthesisByPostRoute(syntheses));
    route(synthesisOfScopeRoute(syntheses));
    on(upkeepTasks, () => synthesisTask(use));
    use.jobs?.handle(SYNTHESIS_JOB, createSynthesisHandler(use));
  },
});
