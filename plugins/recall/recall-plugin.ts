import {
  Clock,
  createFactJson,
  createReadSession,
  definePlugin,
  Embedder,
  Facts,
  GardenAccess,
  KERNEL_API,
  NodeSelf,
  optional,
  Random,
  schema,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { FactChain } from '../fact-chain/fact-chain-api.ts';
import { IntactFacts, SessionReads } from '../facts/facts-api.ts';
import { SearchIndex } from '../search/search-api.ts';
import { AccessCounts } from './access-counts.ts';
import { createAnswerRecall } from './answer-recall.ts';
import { estimateTokens } from './fact-line.ts';
import { TokenCounter } from './recall-api.ts';
import { recallMigrations } from './recall-migrations.ts';
import { getRecallRoute, postRecallRoute } from './recall-routes.ts';
import { RecallTrail } from './recall-trail.ts';
import * as words from './recall-words.ts';

interface Settings {
  readonly salienceWeight: number;
}

/** Use is a matter of days: what was just asked must not decide what comes next. */
const FLUSH_INTERVAL_MS = 10 * 60 * 1000;

export const recallPlugin = definePlugin({
  name: 'recall',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Recalls the facts that matter for a question within a token budget',
  requires: {
    index: SearchIndex,
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    embedder: optional(Embedder),
    audit: optional(AuditLog),
    sessionReads: optional(SessionReads),
    intact: optional(IntactFacts),
    chain: optional(FactChain),
    gardens: optional(GardenAccess),
  },
  provides: [TokenCounter],
  declares: Object.values(words),
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
      salienceWeight: {
        type: 'number',
        minimum: 0,
        maximum: 0.5,
        default: 0.1,
        env: 'SVC_SALIENCE_WEIGHT',
        description: 'how far recency, confidence and use can each move the score of a fact, up and down',
      },
      snapshotFolder: { movedTo: 'plugins.search.snapshotFolder' },
    },
  }),
  migrations: recallMigrations,
  setup({ config, use, tables, hooks, log, onStop, every, provide, route }) {
    const { random, self, audit } = use;
    const access = new AccessCounts(tables);
    const answer = createAnswerRecall({
      ...use,
      pipeline: { ...use, hooks, log, names: self.names, access, salienceWeight: config.salienceWeight },
      factJson: createFactJson(self),
      random,
      names: self.names,
      trail: new RecallTrail(audit),
      readSession: createReadSession(self.names),
    });
    provide(TokenCounter, { count: estimateTokens });
    route(getRecallRoute(answer, self.names));
    route(postRecallRoute(answer, self.names));
    every(FLUSH_INTERVAL_MS, () => access.flush());
    onStop(() => access.flush());
  },
});
