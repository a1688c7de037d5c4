import {
  Clock,
  definePlugin,
  KERNEL_API,
  NodeSelf,
  optional,
  Random,
  readConstrain,
  schema,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { NodeIdentity } from '../node-info/node-info-api.ts';
import { markerMigrations } from './markers/marker-migrations.ts';
import { createTombstoneRoute, entityTombstonesRoute, revokeTombstoneRoute } from './markers/marker-routes.ts';
import { StoredTombstones } from './markers/stored-tombstones.ts';
import { notSuppressedFor } from './suppression/hide-suppressed.ts';
import {
  TOMBSTONE_ENTITY_URI_INVALID,
  TOMBSTONE_ERASED,
  TOMBSTONE_INVALID_SCOPE,
  Tombstones,
} from './tombstones-api.ts';
import * as words from './tombstones-words.ts';

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
  },
  provides: [Tombstones],
  declares: [...Object.values(words), TOMBSTONE_ENTITY_URI_INVALID, TOMBSTONE_ERASED, TOMBSTONE_INVALID_SCOPE],
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
  setup({ config, use, tables, on, route, provide }) {
    const tombstones = new StoredTombstones({ ...use, tables, isSuppressing: config.enabled });
    provide(Tombstones, tombstones);
    route(createTombstoneRoute(tombstones));
    route(entityTombstonesRoute(tombstones));
    route(revokeTombstoneRoute(tombstones));
    if (config.enabled) {
      on(readConstrain, ({ view, caller }) => (view === 'visible' ? notSuppressedFor(caller) : undefined));
    }
  },
});
