import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Clock, erasureSweeps, Facts, NodeSelf, optional, Random } from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { TokenCounter } from '../recall/recall-api.ts';
import { TextRanker } from '../search/search-api.ts';
import { tenantTransfer } from '../transfer/transfer-api.ts';
import { AuditTokens, SEALED } from './audit-tokens.ts';
import { createInstructions } from './create-instructions.ts';
import {
  currentManifestRoute,
  instructionAuditRoute,
  publishManifestRoute,
  recallInstructionRoute,
} from './instruction-routes.ts';
import { Instructions } from './instructions-api.ts';
import { instructionsContents, instructionsMigrations } from './instructions-migrations.ts';
import * as words from './instructions-words.ts';
import { ManifestStore } from './manifest-store.ts';
import { Manifests } from './manifests.ts';
import { sweepManifests } from './sweep-manifests.ts';
import { transferManifests } from './transfer-manifests.ts';

const CLEAN_INTERVAL_MS = 10 * 60 * 1_000;

export const instructionsPlugin = defineOwnPlugin({
  name: 'instructions',
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
  provides: [Instructions],
  declares: Object.values(words),
  migrations: instructionsMigrations,
  contents: instructionsContents,
  sealed: [SEALED],
  setup({ use, tables, on, every, provide, route }) {
    const tokens = new AuditTokens({ ...use, tables });
    const manifests = new Manifests({ ...use, store: new ManifestStore(tables, use.self.names) });
    const instructions = createInstructions({ ...use, manifests, tokens });
    provide(Instructions, instructions);
    route(publishManifestRoute(instructions));
    route(currentManifestRoute(instructions));
    route(recallInstructionRoute(instructions, use.self.names));
    route(instructionAuditRoute(instructions));
    on(erasureSweeps, () => [sweepManifests]);
    on(tenantTransfer, () => transferManifests(tables));
    every(CLEAN_INTERVAL_MS, () => tokens.dropOld());
  },
});
