import {
  Clock,
  definePlugin,
  Facts,
  KERNEL_API,
  NodeSelf,
  optional,
  Random,
  tenantTransfer,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { TextRanker, TokenCounter } from '../recall/recall-api.ts';
import { AuditTokens } from './audit-tokens.ts';
import { instructionAuditRoute } from './instruction-audit-route.ts';
import { instructionsMigrations } from './instructions-migrations.ts';
import { getManifestRoute, publishManifestRoute } from './manifest-routes.ts';
import { ManifestStore } from './manifest-store.ts';
import { Manifests } from './manifests.ts';
import { recallInstructionRoute } from './recall-instruction-route.ts';
import { transferManifests } from './transfer-manifests.ts';

const CLEAN_INTERVAL_MS = 10 * 60 * 1_000;

export const instructionsPlugin = definePlugin({
  name: 'instructions',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Keeps versioned manifests of what agents must know, and loads what they need for what they are about to do',
  requires: {
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    ranker: TextRanker,
    counter: TokenCounter,
    audit: optional(AuditLog),
  },
  migrations: instructionsMigrations,
  setup({ use, tables, on, every, route }) {
    const tokens = new AuditTokens({ ...use, tables });
    const manifests = new Manifests({ ...use, store: new ManifestStore(tables, use.self.names) });
    route(publishManifestRoute({ ...use, manifests }));
    route(getManifestRoute({ ...use, manifests }));
    route(recallInstructionRoute({ ...use, manifests, tokens }));
    route(instructionAuditRoute(tokens));
    on(tenantTransfer, () => transferManifests(tables));
    every(CLEAN_INTERVAL_MS, () => tokens.dropOld());
  },
});
