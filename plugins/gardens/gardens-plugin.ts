import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  appendAuthorise,
  appendRead,
  Clock,
  Facts,
  factAppended,
  factErased,
  GardenAccess,
  NodeSelf,
  optional,
  Random,
  readAnnotate,
} from '../../kernel/plugin-api.ts';
import { Attestations } from '../attestation/attestation-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { createReadSession } from '../facts/facts-api.ts';
import { recallSignal } from '../recall/recall-api.ts';
import { tenantTransfer } from '../transfer/transfer-api.ts';
import { checkGardenWrites } from './check-garden-writes.ts';
import { enterGardens, GARDEN_ID } from './enter-gardens.ts';
import { eraseReasons } from './erase-reasons.ts';
import { followFacts } from './follow-facts.ts';
import { GARDEN_MEMBER } from './garden-json.ts';
import { createGardenRoute, deleteGardenRoute, getGardenRoute, listGardensRoute } from './garden-routes.ts';
import { GardenService } from './garden-service.ts';
import { tierSignals } from './garden-tiers.ts';
import { GARDEN, GARDEN_URI, Gardens, QUARANTINE, Quarantine } from './gardens-api.ts';
import { gardensContents, gardensMigrations } from './gardens-migrations.ts';
import * as words from './gardens-words.ts';
import { markGardens } from './mark-gardens.ts';
import { MEMBERS_ADDED, MemberPresence } from './member-presence.ts';
import { addMemberRoute, changeMemberRoute, listMembersRoute, removeMemberRoute } from './member-routes.ts';
import {
  admitHeldRoute,
  listQuarantineRoute,
  promoteRoute,
  rejectHeldRoute,
  rejectRoute,
} from './quarantine-routes.ts';
import { QuarantineService } from './quarantine-service.ts';
import { createGardenAccess } from './stored-garden-access.ts';
import { transferGardens, transferQuarantine } from './transfer-gardens.ts';

interface Settings {
  readonly tiers: Readonly<Record<string, number>>;
  readonly quarantineGarden: string;
  readonly maxGardensPerEntity: number;
}

export const gardensPlugin = defineOwnPlugin({
  name: 'gardens',
  summary: 'Gardens: parts of a scope that only their members see, and quarantine for what nobody has looked at',
  requires: {
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    audit: optional(AuditLog),
    attestations: optional(Attestations),
  },
  provides: [GardenAccess, Gardens, Quarantine],
  declares: [...Object.values(words), GARDEN, GARDEN_ID, GARDEN_MEMBER, GARDEN_URI, QUARANTINE],
  config: objectSchema<Settings>({
    tiers: {
      type: 'object',
      additionalProperties: { type: 'number', minimum: 0, maximum: 1 },
      default: {},
      env: 'SVC_GARDEN_TIERS',
      description: 'how much facts of a garden count in recall, by slug, such as {"drafts":0.8}',
    },
    quarantineGarden: {
      type: 'string',
      default: '',
      env: 'SVC_QUARANTINE_GARDEN_ID',
      description: 'slug, id or URI of the quarantine garden that takes in instructions of other nodes; empty: none',
    },
    maxGardensPerEntity: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      default: 200,
      env: 'SVC_MAX_GARDENS_PER_ENTITY',
      description: 'gardens that an entity without permission admin may make; those that were deleted do not count',
    },
  }),
  migrations: gardensMigrations,
  contents: gardensContents,
  async setup({ config, use, tables, hooks, on, onSignal, provide, route }) {
    const { facts, clock, random, self, audit, attestations } = use;
    const presence = new MemberPresence(tables);
    onSignal(MEMBERS_ADDED, () => {
      presence.heard();
      facts.answersChanged();
    });
    await presence.look();
    const access = createGardenAccess(tables, self, presence);
    provide(GardenAccess, access);

    on(appendRead, (batch) => enterGardens(batch, { facts, access, names: self.names }));
    on(appendAuthorise, (batch) => checkGardenWrites(batch, tables.in(batch.snapshot), self.names));
    on(factAppended, (batch) => followFacts(batch, tables.in(batch.transaction), { names: self.names, audit }));
    on(readAnnotate, (views, context) => markGardens(views, context, { tables, self }), { cacheable: true });
    on(recallSignal, (candidates) => tierSignals(candidates, config.tiers, tables));
    on(factErased, (erased) => eraseReasons(erased, tables));
    on(tenantTransfer, () => transferGardens(tables, self.names));
    on(tenantTransfer, () => transferQuarantine(tables));

    const gardens = new GardenService({
      facts,
      tables,
      hooks,
      clock,
      random,
      self,
      audit,
      maxGardens: config.maxGardensPerEntity,
    });
    provide(Gardens, gardens);
    const parts = { gardens, self };
    route(createGardenRoute(parts));
    route(listGardensRoute(parts));
    route(getGardenRoute(parts));
    route(deleteGardenRoute(parts));
    route(listMembersRoute(parts));
    route(addMemberRoute(parts));
    route(changeMemberRoute(parts));
    route(removeMemberRoute(parts));

    const inboundGarden = config.quarantineGarden;
    const quarantine = new QuarantineService({
      facts,
      tables,
      clock,
      self,
      audit,
      gardens,
      attestations,
      inboundGarden,
    });
    provide(Quarantine, quarantine);
    const held = { quarantine, self, readSession: createReadSession(self.names) };
    route(promoteRoute(held));
    route(rejectRoute(held));
    route(listQuarantineRoute(held));
    route(admitHeldRoute(held));
    route(rejectHeldRoute(held));
  },
});
