import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  appendJudge,
  Clock,
  Cursors,
  erasureSweeps,
  FactJson,
  Facts,
  factAppended,
  factErased,
  GardenAccess,
  NodeSelf,
  optional,
  type PluginTransaction,
  Random,
  readAnnotate,
  readConstrain,
  readNextChange,
} from '../../kernel/plugin-api.ts';
import { Attestations } from '../attestation/attestation-api.ts';
import { storeChecks } from '../backup/backup-api.ts';
import { createReadSession } from '../facts/facts-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { RelationRules, relationRuleChanged } from '../relations/relations-api.ts';
import { pastDrop } from '../time-travel/time-travel-api.ts';
import { tenantTransfer } from '../transfer/transfer-api.ts';
import { resolutionCheck } from './check-resolutions.ts';
import { createWinnerCheck } from './check-winners.ts';
import { conflictsCommand } from './commands/conflicts-command.ts';
import { resolveCommand } from './commands/resolve-command.ts';
import { createConflictEntities } from './conflict-entities.ts';
import { CONFLICT, createConflictJson } from './conflict-json.ts';
import { createConflictRevisions } from './conflict-revisions.ts';
import { listConflictsRoute, resolveConflictRoute } from './conflict-routes.ts';
import { CONTRADICTED, ConflictEntities, ConflictRevisions, Conflicts } from './conflicts-api.ts';
import { conflictsMigrations } from './conflicts-migrations.ts';
import * as words from './conflicts-words.ts';
import { hideLosers, markContradicted } from './contested-places.ts';
import { createConflicts } from './create-conflicts.ts';
import { dropPastWins } from './drop-past-wins.ts';
import { eraseWins, sweepNotes } from './erase-conflicts.ts';
import { FOLLOW_RULES, followRulesJob, orderFollowing } from './follow-rules.ts';
import { type HeldRelations, ONE_VALUE } from './held-relations.ts';
import { createHiddenRivals } from './hidden-rivals.ts';
import { LoneFacts } from './lone-facts.ts';
import { DIFFERS_ELSEWHERE, markElsewhere } from './mark-elsewhere.ts';
import { nextWinnerChange } from './next-winner-change.ts';
import { recordContradictions } from './record-contradictions.ts';
import { recordLifetimes } from './record-lifetimes.ts';
import { refuseContradictions, type SeesPlace } from './refuse-contradictions.ts';
import { CONTRADICTION, RepliedRivals } from './replied-rivals.ts';
import { transferConflicts } from './transfer-conflicts.ts';

interface Settings {
  readonly mode: 'record' | 'strict';
}

export const conflictsPlugin = defineOwnPlugin({
  name: 'conflicts',
  summary: 'Detects contradictions, keeps a record of each, shows the winner and lets a caller resolve them',
  requires: {
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    factJson: FactJson,
    cursors: Cursors,
    gardens: optional(GardenAccess),
    attestations: optional(Attestations),
    rules: optional(RelationRules),
    jobs: optional(JobQueue),
  },
  provides: [Conflicts, ConflictEntities, ConflictRevisions],
  declares: [...Object.values(words), CONFLICT, CONTRADICTED, CONTRADICTION, DIFFERS_ELSEWHERE],
  config: objectSchema<Settings>({
    mode: {
      type: 'string',
      enum: ['record', 'strict'],
      default: 'record',
      env: 'SVC_CONFLICT_MODE',
      description: 'record stores contradicting facts and opens a conflict; strict refuses them with 409',
    },
  }),
  migrations: conflictsMigrations,
  commands: [conflictsCommand, resolveCommand],
  setup({ config, use, tables, hooks, on, provide, route }) {
    const { facts, clock, random, self, factJson, cursors, gardens, attestations, jobs } = use;
    const relations: HeldRelations = use.rules ?? ONE_VALUE;
    if (config.mode === 'strict') {
      on(appendJudge, (batch) => {
        const seesPlace = placeSight(gardens, batch.transaction);
        return refuseContradictions(batch, tables, { facts, seesPlace, relations, self });
      });
    }
    const alone = new LoneFacts();
    const rivals = new RepliedRivals({ names: self.names, hasRules: use.rules !== undefined });
    const hiddenRivals = createHiddenRivals(hooks);
    const parts = { names: self.names, nodeId: self.nodeId, random, hooks, relations, hiddenRivals };
    on(factAppended, (batch) => {
      alone.note(batch);
      return recordContradictions(batch, tables.in(batch.transaction), { alone, rivals, ...parts });
    });
    // Runs last, because another handler must first apply the times-to-live.
    on(factAppended, (batch) => recordLifetimes(batch, tables.in(batch.transaction), parts), { order: 'last' });
    on(readConstrain, (context) => (context.view === 'current' ? hideLosers(context, relations) : undefined), {
      cacheable: true,
    });
    on(readAnnotate, (views, context) => markContradicted(views, context, { tables, alone, relations, rivals }), {
      cacheable: true,
    });
    on(readAnnotate, (views, context) => markElsewhere(views, context, relations), { cacheable: true });
    on(readNextChange, (question) => nextWinnerChange(question, tables));
    on(factErased, (erased) => eraseWins(erased, tables));
    on(erasureSweeps, () => [sweepNotes(tables, self.names)]);
    on(pastDrop, (piece) => dropPastWins(piece, tables));
    const checks = [resolutionCheck, createWinnerCheck(tables, clock, hiddenRivals)];
    for (const check of checks) on(storeChecks, () => check);
    on(tenantTransfer, () => transferConflicts(tables, clock, hiddenRivals));
    const conflicts = createConflicts({ facts, self, tables, attestations, relations, hiddenRivals });
    const following = { facts, clock, self, tables, ...parts };
    if (jobs !== undefined) {
      on(relationRuleChanged, (change) => orderFollowing(change, jobs, self.names));
      jobs.handle(FOLLOW_RULES, followRulesJob(following));
    }
    provide(Conflicts, conflicts);
    provide(ConflictEntities, createConflictEntities(tables, self.names));
    provide(ConflictRevisions, createConflictRevisions(following));
    const conflictJson = createConflictJson(self, factJson);
    const routes = { conflicts, clock, cursors, conflictJson, readSession: createReadSession(self.names) };
    route(listConflictsRoute(routes));
    route(resolveConflictRoute(routes));
  },
});

/**
 * Returns whether a caller may see contradicting facts in the item's garden. Strict mode must not reveal other facts by
 * a refusal.
 */
const placeSight =
  (gardens: GardenAccess | undefined, transaction: PluginTransaction): SeesPlace =>
  async ({ caller, fact: { gardenId } }) => {
    if (gardenId === null) return true;
    const readable = await gardens?.readable(caller, transaction);
    return readable === 'all' || (readable?.includes(gardenId) ?? false);
  };
