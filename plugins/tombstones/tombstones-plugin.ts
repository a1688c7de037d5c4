import { join } from 'node:path';
import { defineOwnPlugin, objectSchema, type WithdrawalJournal } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  FACT_RETURNED,
  FactErasure,
  FactJson,
  Facts,
  factAppended,
  Leases,
  NodeSelf,
  NodeSettings,
  optional,
  Random,
  readConstrain,
  ServedTenants,
  SignatureWork,
  SUPPRESSION_CHANGED,
  SuppressedFacts,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { CapabilityTokens } from '../capability-tokens/capability-tokens-api.ts';
import { ConflictEntities, ConflictRevisions, rivalsHidden } from '../conflicts/conflicts-api.ts';
import { PeerExchange } from '../federation/federation-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { KeyRegistry } from '../keys/keys-api.ts';
import { NodeIdentity, NodeInfo } from '../node-info/node-info-api.ts';
import { tenantTransfer } from '../transfer/transfer-api.ts';
import { tombstoneCommands } from './commands/tombstone-commands.ts';
import { SEALED } from './erasure/erasure-row.ts';
import { erasureContents } from './erasure/erasure-tables.ts';
import { ERASED_FACTS, type ErasureSettings, openErasure } from './erasure/open-erasure.ts';
import { createFollows, TombstoneFollows } from './federation/follow-peer.ts';
import { servedTombstonesRoute } from './federation/serve-tombstones.ts';
import { pullTombstones } from './federation/tombstone-puller.ts';
import {
  createTombstoneRoute,
  entityTombstonesRoute,
  listTombstonesRoute,
  revokeTombstoneRoute,
} from './markers/marker-routes.ts';
import { MARKERS, markerContents, SEALED_PARKED } from './markers/marker-tables.ts';
import { createSignAgain, SIGN_AGAIN_INTERVAL_MS } from './markers/sign-again.ts';
import { StoredTombstones } from './markers/stored-tombstones.ts';
import { TombstoneJournal } from './markers/tombstone-journal.ts';
import { transferTombstones } from './markers/transfer-tombstones.ts';
import { Subjects, subjectCommands } from './subject/subject-commands.ts';
import { SubjectExport } from './subject/subject-export.ts';
import { exportSubjectRoute } from './subject/subject-route.ts';
import { followUpRest } from './suppression/follow-up.ts';
import { hiddenRivalsAmong } from './suppression/hidden-rows.ts';
import { notSuppressedFor } from './suppression/hide-suppressed.ts';
import { createSuppressedFacts } from './suppression/stored-suppression.ts';
import { hideLateSystemFacts, systemFactsAmong } from './suppression/system-facts.ts';
import { Erasures, Tombstones } from './tombstones-api.ts';
import { tombstonesMigrations } from './tombstones-migrations.ts';
import * as words from './tombstones-words.ts';

const FOLLOW_UP_INTERVAL_MS = 60_000;
/** The interval at which the puller checks for a peer that is due. */
const PULL_INTERVAL_MS = 5_000;
/** How often lines are written that the journal lacks after a failure. */
export const JOURNAL_INTERVAL_MS = 30_000;

const HIDDEN_FACTS: WithdrawalJournal = {
  file: 'tombstones.jsonl',
  withdrawn: 'facts that were hidden',
  listCommand: 'tombstone list',
};

export const tombstonesPlugin = defineOwnPlugin({
  name: 'tombstones',
  summary: 'Signed markers that hide the facts about an entity, everywhere and at once',
  requires: {
    clock: Clock,
    random: Random,
    cursors: Cursors,
    self: NodeSelf,
    identity: NodeIdentity,
    node: NodeSettings,
    info: NodeInfo,
    leases: Leases,
    erasure: FactErasure,
    audit: optional(AuditLog),
    facts: Facts,
    factJson: FactJson,
    jobs: optional(JobQueue),
    conflicts: optional(ConflictEntities),
    revisions: optional(ConflictRevisions),
    work: SignatureWork,
    served: ServedTenants,
    capabilities: optional(CapabilityTokens),
    exchange: optional(PeerExchange),
    keys: optional(KeyRegistry),
  },
  provides: [Tombstones, SuppressedFacts, TombstoneFollows, Erasures, Subjects],
  commands: [tombstoneCommands, subjectCommands],
  declares: [...Object.values(words), FACT_RETURNED, SUPPRESSION_CHANGED],
  config: objectSchema<ErasureSettings>({
    enabled: {
      type: 'boolean',
      default: false,
      env: 'SVC_TOMBSTONES_ENABLED',
      description: 'hide the facts about entities with a tombstone; without, tombstones are kept and hide nothing',
    },
    federationErase: {
      type: 'boolean',
      default: false,
      env: 'SVC_FEDERATION_ERASE',
      description: 'destroy facts of a peer when that peer has destroyed them; without, they are hidden',
    },
  }),
  migrations: tombstonesMigrations,
  contents: [...markerContents, ...erasureContents],
  journals: [ERASED_FACTS, HIDDEN_FACTS],
  sealed: [SEALED, SEALED_PARKED],
  async setup(context) {
    const { config, use, tables, log, onStart, onStop, on, route, provide, every } = context;
    const { names } = use.self;
    const parts = { ...use, tables, names, isSuppressing: config.enabled };
    const file = join(use.node.dataFolder, HIDDEN_FACTS.file);
    const journal = new TombstoneJournal({ ...parts, log, file });
    const tombstones = new StoredTombstones({ ...parts, journal });
    every(FOLLOW_UP_INTERVAL_MS, () => followUpRest(parts));
    every(JOURNAL_INTERVAL_MS, () => journal.settle());
    onStop(() => journal.settle());
    provide(SuppressedFacts, createSuppressedFacts(tables, config.enabled));
    provide(Tombstones, tombstones);
    on(tenantTransfer, () => transferTombstones(parts));
    route(createTombstoneRoute(tombstones));
    route(listTombstonesRoute({ ...use, tombstones }));
    route(entityTombstonesRoute(tombstones));
    route(revokeTombstoneRoute(tombstones));
    const { exchange, capabilities, leases } = use;
    provide(TombstoneFollows, createFollows(tables, exchange));
    if (exchange !== undefined && capabilities !== undefined) {
      route(servedTombstonesRoute({ ...parts, exchange, capabilities }));
      const lease = leases.hold('tombstones.follow');
      if (exchange.isEnabled) {
        every(PULL_INTERVAL_MS, () => pullTombstones({ ...parts, exchange, lease, log }));
        every(SIGN_AGAIN_INTERVAL_MS, createSignAgain(parts));
      }
    }
    // Suppression may have been on or off before: system facts about hidden facts may have been stored meanwhile, and
    // facts behind a tombstone of a peer contradict others while it is off.
    onStart(async () => {
      const active = tables(MARKERS).whereNull('revoked_ms').whereNull('followed_number');
      if (!config.enabled) active.whereNotNull('received_from');
      await active.update({ followed_number: 0 });
    });
    if (config.enabled) {
      on(readConstrain, ({ view, caller }) => (view === 'visible' ? notSuppressedFor(caller, names) : undefined), {
        cacheable: true,
      });
      // Runs after the handlers that store system facts about hidden facts.
      on(
        factAppended,
        async ({ facts, transaction }) => {
          const told = systemFactsAmong(facts, names);
          if (told.length > 0) await hideLateSystemFacts(told, tables.in(transaction), transaction, parts);
        },
        { order: 'last' },
      );
      on(rivalsHidden, ({ facts, snapshot }) => hiddenRivalsAmong(tables.in(snapshot), facts));
    }
    provide(Erasures, await openErasure(context, { ...use, tombstones }));
    await journal.restore();
    const subjects = new SubjectExport(use);
    provide(Subjects, subjects);
    route(exportSubjectRoute(subjects));
  },
});
