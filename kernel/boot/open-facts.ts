import type { Clock, ContentSeal, FactStore } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import { ClockWatch } from '../facts/clock-watch.ts';
import { createFactErasure } from '../facts/erase-facts.ts';
import { FactErasure } from '../facts/fact-erasure.ts';
import { FactFeed } from '../facts/fact-feed.ts';
import { createFactFields, FactFields } from '../facts/fact-fields.ts';
import { createFactJson, FactJson } from '../facts/fact-json.ts';
import { createFactRestore, FactRestore } from '../facts/fact-restore.ts';
import { createFactText, FactText } from '../facts/fact-text.ts';
import { Facts } from '../facts/facts.ts';
import { createFacts } from '../facts/facts-service.ts';
import { GardenAccess } from '../facts/garden-access.ts';
import { createNameRules } from '../facts/name-rules.ts';
import { openFeed } from '../facts/store-feed.ts';
import type { NodeSelf } from '../identity/node-self.ts';
import { NodeSettings } from '../identity/node-settings.ts';
import type { Logger } from '../log/logger.ts';
import { Telemetry } from '../telemetry/telemetry-api.ts';
import { createServedTenants, ServedTenants } from '../tenants/served-tenants.ts';
import { createTenantRemoval, TenantRemoval } from '../tenants/tenant-removal.ts';
import { Interpretations } from '../vocabulary/interpretations.ts';
import type { Assembly } from './assembly.ts';

export interface FactsHost extends Pick<Assembly, 'vocabulary' | 'hooks' | 'container' | 'stops'> {
  readonly store: FactStore;
  /** Undefined where the store is clear. */
  readonly seal?: ContentSeal | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly log: Logger;
}

/** Opens the kernel's services for facts. */
export const openFacts = ({
  store,
  seal,
  clock,
  random,
  self,
  log,
  vocabulary,
  hooks,
  container,
  stops,
}: FactsHost): void => {
  const gardens = () => (container.has(GardenAccess) ? container.get(GardenAccess) : undefined);
  const nameRules = createNameRules(self.names, vocabulary);
  const interpretations = new Map(vocabulary.words(Interpretations).map((word) => [word.id, word]));
  const { maxStampLeadMs } = container.get(NodeSettings);
  const telemetry = container.get(Telemetry);
  const clockWatch = new ClockWatch({ clock, telemetry, log, maxStampLeadMs });
  const rules = { nameRules, interpretations, maxStampLeadMs };
  const facts = createFacts({ store, clock, clockWatch, telemetry, random, hooks, self, rules, seal, gardens });
  stops.push('facts', () => facts.close());
  container.provide(Facts, facts);
  const factJson = createFactJson(vocabulary);
  container.provide(FactJson, factJson);
  container.provide(FactText, createFactText(factJson));
  container.provide(FactFields, createFactFields(vocabulary));
  container.provide(FactFeed, openFeed({ store, clock, facts }, hooks));
  const erasure = createFactErasure({ store, hooks, random });
  container.provide(FactErasure, erasure);
  container.provide(ServedTenants, createServedTenants());
  container.provide(TenantRemoval, createTenantRemoval(store, erasure));
  container.provide(
    FactRestore,
    createFactRestore({ clock, random, hooks, names: self.names, nodeId: self.nodeId, nameRules, seal }),
  );
};
