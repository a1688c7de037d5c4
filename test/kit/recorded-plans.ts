import pg from 'pg';
import { administer } from './postgres-server.ts';

/** A statement that a session has run, with the relations in its plan. */
export interface RecordedPlan {
  readonly statement: string;
  readonly relations: readonly string[];
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  // The sessions of a store suppress lower levels.
  'auto_explain.log_level': 'warning',
  // A generic plan prunes partitions only when it runs.
  plan_cache_mode: 'force_custom_plan',
};

/** Makes new sessions on the database report the plan of each statement. */
export const reportPlans = async (url: string): Promise<void> => {
  const database = new URL(url).pathname.slice(1);
  for (const [name, value] of Object.entries(SETTINGS)) {
    await administer(url, `ALTER DATABASE ${database} SET ${name} = '${value}'`);
  }
};

/** Returns a class of connections that gives the plan of each statement to `record`. */
export const recordingDriver = (record: (plan: RecordedPlan) => void): typeof pg.Client =>
  new Proxy(pg.Client, {
    construct: (_, [config]: [pg.ClientConfig]) =>
      new pg.Client(config).on('notice', ({ message = '' }) => {
        const at = message.indexOf(BEFORE_PLAN);
        if (at < 0) return;
        const explained = JSON.parse(message.slice(at + BEFORE_PLAN.length)) as Explained;
        record({ statement: explained['Query Text'], relations: [...relationsIn(explained.Plan)] });
      }),
  });

const BEFORE_PLAN = 'plan:\n';

interface PlanNode {
  readonly 'Actual Loops': number;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

function* relationsIn(node: PlanNode): Generator<string> {
  const { 'Relation Name': relation, 'Actual Loops': loops, Plans: plans = [] } = node;
  if (relation !== undefined && loops > 0) yield relation;
  for (const plan of plans) yield* relationsIn(plan);
}
