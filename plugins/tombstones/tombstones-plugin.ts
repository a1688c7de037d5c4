import {
  Clock,
  definePlugin,
  factAppended,
  KERNEL_API,
  NodeSelf,
  optional,
  Random,
  readConstrain,
  schema,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { ConflictEntities } from '../conflicts/conflicts-api.ts';
import { NodeIdentity } from '../node-info/node-info-api.ts';
import { markerMigrations } from './markers/marker-migrations.ts';
import { createTombstoneRoute, entityTombstonesRoute, revokeTombstoneRoute } from './markers/marker-routes.ts';
import { StoredTombstones } from './markers/stored-tombstones.ts';
import { followUpRest } from './suppression/follow-up.ts';
import { notSuppressedFor } from './suppression/hide-suppressed.ts';
import { createSuppressedFacts } from './suppression/stored-suppression.ts';
import { hideLateWords } from './suppression/words-about-facts.ts';
import {
  FACT_RETURNED,
  SuppressedFacts,
  TOMBSTONE_CHANGED,
  TOMBSTONE_ENTITY_URI_INVALID,
  TOMBSTONE_ERASED,
  TOMBSTONE_INVALID_SCOPE,
  Tombstones,
} from './tombstones-api.ts';
import * as words from './tombstones-words.ts';

const FOLLOW_UP_INTERVAL_MS = 60_000;

interface Settings {
  readonly enabled: boolean;
  readonly federationErase: boolean;
}

export const tombstonesPlugin = definePlugin({
  name: 'tombstones',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Signed markers that hide the facts about an entity, everywhere and at once',
  requires: {
    clock: Clock,
    random: Random,
    self: NodeSelf,
    identity: NodeIdentity,
    audit: optional(AuditLog),
    conflicts: optional(ConflictEntities),
  },
  provides: [Tombstones, SuppressedFacts],
  declares: [
    ...Object.values(words),
    FACT_RETURNED,
    TOMBSTONE_CHANGED,
    TOMBSTONE_ENTITY_URI_INVALID,
    TOMBSTONE_ERASED,
    TOMBSTONE_INVALID_SCOPE,
  ],
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
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
    },
  }),
  migrations: markerMigrations,
  setup({ config, use, tables, on, route, provide, every }) {
    const { names } = use.self;
    const parts = { ...use, tables, names };
    const tombstones = new StoredTombstones({ ...parts, isSuppressing: config.enabled });
    every(FOLLOW_UP_INTERVAL_MS, () => followUpRest(parts));
    provide(SuppressedFacts, createSuppressedFacts(tables, config.enabled));
    provide(Tombstones, tombstones);
    route(createTombstoneRoute(tombstones));
    route(entityTombstonesRoute(tombstones));
    route(revokeTombstoneRoute(tombstones));
    if (config.enabled) {
      on(readConstrain, ({ view, caller }) => (view === 'visible' ? notSuppressedFor(caller) : undefined));
      // After those whose words may be about hidden facts have kept what they tell.
      on(
        factAppended,
        async ({ facts, transaction }) => {
          const stored = facts.map(({ fact }) => fact);
          await hideLateWords(stored, tables.in(transaction), transaction, parts);
          return undefined;
        },
        { order: 'last' },
      );
    }
  },
});
