import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  Clock,
  EarlierEmbedders,
  Embedder,
  FactFields,
  Facts,
  FactText,
  factErased,
  GardenAccess,
  NodeSelf,
  optional,
  Random,
  Telemetry,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { IntactFacts, SessionReads } from '../facts/facts-api.ts';
import { SearchIndex } from '../search/search-api.ts';
import { Moments } from '../time-travel/time-travel-api.ts';
import { AccessCounts, COUNTS_WRITTEN } from './access-counts.ts';
import { createRecall } from './create-recall.ts';
import { EMBEDDER_UNAVAILABLE, INDEX_REBUILDING } from './degradation.ts';
import { estimateTokens } from './fact-line.ts';
import { QueryVectors } from './query-vectors.ts';
import { Recall, TokenCounter } from './recall-api.ts';
import { recallCommand } from './recall-command.ts';
import { RECALL, RECALL_PART, RESERVED_MEMBERS, recallMembers, SCORED_FACT, SCORED_PART } from './recall-json.ts';
import { recallMigrations } from './recall-migrations.ts';
import { getRecallRoute, postRecallRoute } from './recall-routes.ts';
import { RecallTelemetry } from './recall-telemetry.ts';
import { RecallTrail } from './recall-trail.ts';
import * as words from './recall-words.ts';

interface Settings {
  readonly salienceWeight: number;
  readonly queryEmbedMs: number;
}

/** Counts are written rarely, because use matters over days: one recall must not change the next one. */
const FLUSH_INTERVAL_MS = 10 * 60 * 1000;
const LONGEST_QUERY_EMBED_MS = 600_000;

export const recallPlugin = defineOwnPlugin({
  name: 'recall',
  summary: 'Recalls the facts that matter for a question within a token budget',
  requires: {
    telemetry: Telemetry,
    index: SearchIndex,
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    vocabulary: Vocabulary,
    factText: FactText,
    fields: FactFields,
    embedder: optional(Embedder),
    earlier: optional(EarlierEmbedders),
    audit: optional(AuditLog),
    sessionReads: optional(SessionReads),
    intact: optional(IntactFacts),
    gardens: optional(GardenAccess),
    moments: optional(Moments),
  },
  provides: [Recall, TokenCounter],
  declares: [
    ...Object.values(words),
    EMBEDDER_UNAVAILABLE,
    INDEX_REBUILDING,
    RECALL,
    RECALL_PART,
    SCORED_FACT,
    SCORED_PART,
    ...RESERVED_MEMBERS,
  ],
  config: objectSchema<Settings & { readonly snapshotFolder?: never }>({
    salienceWeight: {
      type: 'number',
      minimum: 0,
      maximum: 0.5,
      default: 0.1,
      env: 'SVC_SALIENCE_WEIGHT',
      description: 'how far recency, confidence and use can each move the score of a fact, up and down',
    },
    queryEmbedMs: {
      type: 'integer',
      minimum: 0,
      maximum: LONGEST_QUERY_EMBED_MS,
      default: 1_000,
      env: 'SVC_QUERY_EMBED_MS',
      description:
        'how long a recall waits for the vector of its query before it answers without; 0: as long as the embedder takes',
    },
    snapshotFolder: { movedTo: 'plugins.search.snapshotFolder' },
  }),
  migrations: recallMigrations,
  commands: [recallCommand],
  setup({ config, use, tables, hooks, log, on, onSignal, onStop, every, provide, route }) {
    const { self, factText, fields, audit, vocabulary } = use;
    const { names } = self;
    const access = new AccessCounts(tables);
    const members = recallMembers(vocabulary);
    const measured = new RecallTelemetry(use.telemetry, use.clock);
    const recall = createRecall({
      ...use,
      pipeline: {
        ...use,
        hooks,
        log,
        names,
        access,
        measured,
        queryVectors: new QueryVectors({ clock: use.clock, waitMs: config.queryEmbedMs }),
        salienceWeight: config.salienceWeight,
      },
      hooks,
      names,
      trail: new RecallTrail(audit),
      members,
    });
    provide(Recall, recall);
    provide(TokenCounter, { count: estimateTokens });
    const routes = { recall, factText, fields, names, members };
    route(getRecallRoute(routes));
    route(postRecallRoute(routes));
    on(factErased, (erased) => access.erase(erased));
    onSignal(COUNTS_WRITTEN, () => access.changed());
    every(FLUSH_INTERVAL_MS, () => access.flush());
    onStop(() => access.flush());
  },
});
