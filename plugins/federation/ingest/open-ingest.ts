import { createNameRules, type NameRules } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type Facts,
  factAppended,
  httpAdmit,
  type NodeSelf,
  type NodeSettings,
  type PluginContext,
  type PluginTables,
  type Random,
  type Requires,
  readConstrain,
  type Vocabulary,
} from '../../../kernel/plugin-api.ts';
import type { Quarantine } from '../../gardens/gardens-api.ts';
import { tenantTransfer } from '../../transfer/transfer-api.ts';
import type { FederationSettings } from '../federation-settings.ts';
import type { FederationLog } from '../peerings/federation-log.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { OriginProofs } from '../proofs/origin-proof.ts';
import type { PeerTokens } from '../tokens/peer-tokens.ts';
import { createIngest } from './create-ingest.ts';
import type { Ingest } from './ingest.ts';
import { createOwnNames } from './own-names.ts';
import { PeerUsages } from './peer-usage.ts';
import { PUSH_PATH, pushRoute, refusePushes } from './push-route.ts';
import { receivedFromFacts } from './received-from.ts';
import { hideCopies, NOT_REFUTED } from './refuted-copies.ts';
import { transferCopies } from './transfer-copies.ts';

export interface IngestNeeds {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly node: NodeSettings;
  readonly vocabulary: Vocabulary;
  readonly quarantine: Quarantine | undefined;
  readonly peerings: Peerings;
  readonly proofs: OriginProofs;
  readonly tokens: PeerTokens;
  readonly federationLog: FederationLog;
}

export interface OpenedIngest {
  readonly ingest: Ingest;
  readonly usages: PeerUsages;
}

type Context = Pick<PluginContext<Requires, FederationSettings>, 'config' | 'tables' | 'on' | 'route'>;

/** Adds the push route for facts of peers, and returns `ingest` for the puller. */
export const openIngest = ({ config, tables, on, route }: Context, needs: IngestNeeds): OpenedIngest => {
  const { facts, clock, random, self, node, quarantine, peerings, proofs, tokens, federationLog } = needs;
  const own = createOwnNames(self);
  const usages = new PeerUsages(tables);
  const ingest = createIngest({
    facts,
    clock,
    random,
    tables,
    self,
    own,
    proofs,
    peerings,
    federationLog,
    usages,
    reading: { maxBytes: node.maxBodyBytes, toleratesOldCid: config.cid === 'omit' },
    maxStampLeadMs: node.maxStampLeadMs,
    nameRules: nameRulesOf(self, needs.vocabulary),
    quarantineGarden: (tenantId) => inboundGarden(tables, quarantine, tenantId),
  });
  on(factAppended, (batch) => receivedFromFacts(batch.facts, own, self));
  on(factAppended, (batch) => hideCopies(batch, tables, self));
  // Only facts of peers can hide facts here, so a node without peers reads no table for that.
  if (config.enabled) {
    on(readConstrain, ({ view }) => (view === 'visible' ? NOT_REFUTED : undefined), { cacheable: true });
  }
  on(tenantTransfer, () => transferCopies(tables));
  on(httpAdmit, (info) => {
    if (info.route === PUSH_PATH) refusePushes(config);
  });
  route(pushRoute({ ingest, tokens, peerings, usages, clock, maxFactsPerDay: config.maxFactsPerDay }));
  return { ingest, usages };
};

/** Builds the rules on first use, because every plugin has declared its words by then. */
const nameRulesOf = ({ names }: NodeSelf, vocabulary: Vocabulary): (() => NameRules) => {
  let rules: NameRules | undefined;
  return () => {
    rules ??= createNameRules(names, vocabulary);
    return rules;
  };
};

const inboundGarden = async (
  tables: PluginTables,
  quarantine: Quarantine | undefined,
  tenantId: string,
): Promise<string | null> =>
  quarantine === undefined ? null : tables.read((_own, snapshot) => quarantine.inbound(tenantId, snapshot));
