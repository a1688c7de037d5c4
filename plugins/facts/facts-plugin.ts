import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  appendAuthorise,
  appendJudge,
  appendRead,
  appendSettle,
  Clock,
  Cursors,
  erasureSweeps,
  FactFields,
  FactJson,
  Facts,
  FactText,
  factAppended,
  GardenAccess,
  NodeSelf,
  NodeSettings,
  nodeGreeting,
  optional,
  Telemetry,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { storeChecks } from '../backup/backup-api.ts';
import { Quotas } from '../rate-limits/rate-limits-api.ts';
import { AnswerCache } from './answer-cache.ts';
import { assertBatchRoute } from './assert-batch-route.ts';
import { assertFactRoute } from './assert-fact-route.ts';
import { DERIVED_FROM, REPLACES, WRITE_MODE } from './assertion-members.ts';
import { ASSERTION } from './assertion-schema.ts';
import { createAuthoriseAssertions } from './authorise-assertions.ts';
import { createExpiryCheck } from './check-expiries.ts';
import { assertCommand } from './commands/assert-command.ts';
import { correctCommand } from './commands/correct-command.ts';
import { factCommand } from './commands/fact-command.ts';
import { queryCommand } from './commands/query-command.ts';
import { createCompleteAssertions } from './complete-assertions.ts';
import { createAssertions } from './create-assertions.ts';
import { createQueries } from './create-queries.ts';
import { settleDuplicates } from './duplicates.ts';
import { entityKindsRoute } from './entity-kinds-route.ts';
import { EXPECTED_MEMBERS } from './expected-members.ts';
import { cidBackfillStatusRoute, getFactRoute, provenanceRoute, verifyCidRoute } from './fact-routes.ts';
import {
  AssertionMembers,
  Assertions,
  FEDERATION_INTEGRITY_REJECTED,
  INSTRUCTION_WRITE,
  INSTRUCTION_WRITE_REQUIRED,
  IntactFacts,
  Queries,
  QueryMembers,
  ReadParameters,
  SessionReads,
} from './facts-api.ts';
import { factsContents, factsMigrations } from './facts-migrations.ts';
import * as words from './facts-words.ts';
import { firstRequests } from './first-requests.ts';
import { createIdempotency, SEALED } from './idempotency.ts';
import { createIntactFacts } from './intact-facts.ts';
import { ENDED } from './mark-ended.ts';
import { queryFactsRoute, RESERVED_ANSWERS, RESERVED_PARAMETERS } from './query-facts-route.ts';
import { createReadAssertion, RESERVED_MEMBERS } from './read-assertion.ts';
import { createReadSession } from './read-session.ts';
import { REASON, reasonFacts, sweepReasons } from './reasons.ts';
import { createRefuseOutdated } from './refuse-outdated.ts';
import { createSessionGuard } from './session-guard.ts';
import { sweepReplies } from './sweep-replies.ts';
import { recordExpiries } from './ttl.ts';

interface FactsSettings {
  readonly sessionGuard: 'off' | 'enforce';
}

const NO_SESSION_READS: SessionReads = { returned: async () => {} };

/** The interval at which recorded answers older than a day are deleted. */
const PURGE_INTERVAL_MS = 10 * 60 * 1000;

export const factsPlugin = defineOwnPlugin({
  name: 'facts',
  summary: 'Assert, query and explain facts',
  requires: {
    facts: Facts,
    clock: Clock,
    self: NodeSelf,
    node: NodeSettings,
    factJson: FactJson,
    factText: FactText,
    fields: FactFields,
    cursors: Cursors,
    vocabulary: Vocabulary,
    telemetry: Telemetry,
    audit: optional(AuditLog),
    gardens: optional(GardenAccess),
    quotas: optional(Quotas),
  },
  declares: [
    ...Object.values(words),
    ...EXPECTED_MEMBERS,
    ENDED,
    INSTRUCTION_WRITE,
    INSTRUCTION_WRITE_REQUIRED,
    FEDERATION_INTEGRITY_REJECTED,
    DERIVED_FROM,
    REPLACES,
    REASON,
    WRITE_MODE,
    ASSERTION,
    ...RESERVED_MEMBERS,
    ...RESERVED_PARAMETERS,
    ...RESERVED_ANSWERS,
  ],
  config: objectSchema<FactsSettings>({
    sessionGuard: {
      type: 'string',
      enum: ['off', 'enforce'],
      default: 'off',
      env: 'SVC_SESSION_GUARD',
      description:
        'enforce refuses what a session writes into a scope that it has read, unless it names what it sums up',
    },
  }),
  migrations: factsMigrations,
  contents: factsContents,
  sealed: [SEALED],
  commands: [assertCommand, correctCommand, queryCommand, factCommand],
  provides: [Assertions, Queries, SessionReads, IntactFacts],
  setup({ config, log, tables, use, on, hooks, route, every, provide, onStop }) {
    const {
      facts,
      clock,
      self,
      node,
      factJson,
      factText,
      fields,
      cursors,
      vocabulary,
      telemetry,
      audit,
      gardens,
      quotas,
    } = use;
    const { names } = self;
    const intact = createIntactFacts({ names, log, audit, telemetry });
    const idempotency = createIdempotency(tables, clock);
    const guard = config.sessionGuard === 'off' ? undefined : createSessionGuard({ tables, facts, clock });
    const sessionReads = guard ?? NO_SESSION_READS;
    const readSession = createReadSession(names);
    const readAssertion = createReadAssertion(vocabulary.words(AssertionMembers), names);
    const assertions = createAssertions({ facts, clock, idempotency, readAssertion });
    const queries = createQueries({ facts, hooks, intact, sessionReads, gardens, names });
    const parameters = vocabulary.words(ReadParameters);
    const assertParts = { assertions, factJson, readSession, names };
    const members = vocabulary.words(QueryMembers);
    const cache = new AnswerCache({ facts, clock, maxBytes: node.pluginCacheBytes });
    const readParts = { queries, factJson, factText, fields, readSession, clock, cursors, parameters, members };
    provide(Assertions, assertions);
    provide(Queries, queries);
    provide(SessionReads, sessionReads);
    provide(IntactFacts, intact);

    route(assertFactRoute(assertParts));
    route(assertBatchRoute({ ...assertParts, quotas }));
    route(queryFactsRoute({ ...readParts, cache }));
    route(getFactRoute(readParts));
    route(provenanceRoute(readParts));
    route(verifyCidRoute(readParts));
    route(cidBackfillStatusRoute(readParts));
    route(entityKindsRoute({ facts, clock, cursors }));

    on(appendRead, createCompleteAssertions({ facts, self }));
    on(appendAuthorise, createAuthoriseAssertions({ facts, names, gardens, sessionGuard: guard }));
    on(erasureSweeps, () => [sweepReplies(tables), sweepReasons(names)]);
    on(appendSettle, (batch) => settleDuplicates(batch, self));
    on(appendJudge, createRefuseOutdated({ facts, self }));
    on(nodeGreeting, () => ({ examples: firstRequests }));
    on(factAppended, (batch) => recordExpiries(batch, names));
    on(factAppended, (batch) => reasonFacts(batch, names));
    const expiryCheck = createExpiryCheck(tables, names);
    on(storeChecks, () => expiryCheck);
    onStop(() => cache.stop());
    every(PURGE_INTERVAL_MS, async () => {
      await idempotency.purge();
      await guard?.purge();
    });
  },
});
