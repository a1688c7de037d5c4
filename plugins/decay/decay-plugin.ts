import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { Clock, Facts, GardenAccess, NodeSelf, optional, Telemetry } from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { JobQueue, jobRoute } from '../jobs/jobs-api.ts';
import { Namespaces } from '../namespaces/namespaces-api.ts';
import { upkeepTasks } from '../upkeep/upkeep-api.ts';
import { Decay } from './decay-api.ts';
import { decayCommand } from './decay-command.ts';
import { sweepRoute } from './decay-routes.ts';
import { decayTask } from './decay-task.ts';
import { DECAY_SWEEP } from './decay-words.ts';
import { createSweepHandler, SWEEP_JOB } from './sweep-job.ts';
import type { DecayDefaults } from './sweep-rules.ts';
import { SweptFacts } from './swept-facts.ts';

export const decayPlugin = defineOwnPlugin({
  name: 'decay',
  summary: 'Lets facts come to an end that are old, or that nobody is sure of',
  requires: {
    facts: Facts,
    clock: Clock,
    self: NodeSelf,
    telemetry: Telemetry,
    gardens: optional(GardenAccess),
    namespaces: optional(Namespaces),
    jobs: optional(JobQueue),
    audit: optional(AuditLog),
  },
  provides: [Decay],
  declares: [DECAY_SWEEP],
  commands: [decayCommand],
  config: objectSchema<DecayDefaults>({
    ttlSeconds: {
      type: 'integer',
      minimum: 0,
      maximum: 3_155_760_000,
      default: 0,
      env: 'SVC_DECAY_TTL_SECONDS',
      description: 'age in seconds from which a sweep that names no rule lets facts end; 0 leaves them',
    },
    minConfidence: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0,
      env: 'SVC_DECAY_MIN_CONFIDENCE',
      description: 'confidence below which a sweep that names no rule lets facts end; 0 leaves them',
    },
  }),
  setup({ config, use, provide, route, on }) {
    const decayed = use.telemetry.counter({ name: 'decay_facts_total', help: 'facts that sweeps have ended' });
    const parts = { ...use, defaults: config, decayed };
    const swept = new SweptFacts(parts);
    provide(Decay, swept);
    route(sweepRoute(swept));
    on(upkeepTasks, () => decayTask(swept));
    if (use.jobs === undefined) return;
    use.jobs.handle(SWEEP_JOB, createSweepHandler(parts, swept));
    route(jobRoute(use.jobs, '/v1/decay/jobs/:id'));
  },
});
