import { join } from 'node:path';
import { defineOwnPlugin, keepWithdrawals, type WithdrawalJournal } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  Facts,
  Leases,
  NodeSelf,
  NodeSettings,
  nodeMetadata,
  optional,
  Random,
  ServedTenants,
  ServiceError,
  SignatureWork,
  Telemetry,
  Transport,
  VerifiedOrigins,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { Quarantine } from '../gardens/gardens-api.ts';
import { KeyRegistry } from '../keys/keys-api.ts';
import { Tenancy } from '../multi-tenant/multi-tenant-api.ts';
import { NodeIdentity, NodeInfo } from '../node-info/node-info-api.ts';
import { peerCommands } from './commands/peer-commands.ts';
import { PeerExchange, PeerLags, PeerRegistry } from './federation-api.ts';
import * as events from './federation-events.ts';
import { federationMetadata } from './federation-metadata.ts';
import { federationMigrations } from './federation-migrations.ts';
import { federationSettings } from './federation-settings.ts';
import * as words from './federation-words.ts';
import { ingestContents, SEALED_PARKED } from './ingest/ingest-tables.ts';
import * as ingestWords from './ingest/ingest-words.ts';
import { openIngest } from './ingest/open-ingest.ts';
import { createPeerLags } from './lag/create-peer-lags.ts';
import { lagRoute } from './lag/lag-route.ts';
import { openPeerings } from './peerings/open-peerings.ts';
import { SEALED as SEALED_PEERS } from './peerings/peer-row.ts';
import { peeringContents } from './peerings/peering-tables.ts';
import { PEERS_CHANGED } from './peerings/peerings.ts';
import { SEALED as SEALED_EVENTS } from './peerings/stored-federation-log.ts';
import { openPulling } from './pulling/open-pulling.ts';
import { openServing } from './serving/open-serving.ts';
import { createPeerExchange } from './serving/peer-exchange.ts';
import { servingContents } from './serving/serving-tables.ts';
import * as servingWords from './serving/serving-words.ts';
import * as tokenWords from './tokens/token-words.ts';

const REVOKED_PEERINGS: WithdrawalJournal = {
  file: 'revoked-peerings',
  withdrawn: 'revoked peerings',
  listCommand: 'peer list',
};

export const federationPlugin = defineOwnPlugin({
  name: 'federation',
  summary: 'Exchanges facts with other nodes, each as far as both sides have declared; off until it is enabled',
  requires: {
    telemetry: Telemetry,
    clock: Clock,
    random: Random,
    cursors: Cursors,
    leases: Leases,
    self: NodeSelf,
    transport: Transport,
    facts: Facts,
    work: SignatureWork,
    identity: NodeIdentity,
    info: NodeInfo,
    keys: optional(KeyRegistry),
    audit: optional(AuditLog),
    quarantine: optional(Quarantine),
    tenancy: optional(Tenancy),
    node: NodeSettings,
    served: ServedTenants,
    vocabulary: Vocabulary,
  },
  provides: [PeerRegistry, VerifiedOrigins, PeerLags, PeerExchange],
  declares: [words, events, tokenWords, servingWords, ingestWords].flatMap((all) => Object.values(all)),
  config: federationSettings,
  commands: [peerCommands],
  migrations: federationMigrations,
  contents: [...ingestContents, ...servingContents, ...peeringContents],
  journals: [REVOKED_PEERINGS],
  sealed: [SEALED_PEERS, SEALED_EVENTS, SEALED_PARKED],
  setup(context) {
    const { config, use, tables, log, on, route, provide, every } = context;
    const { self } = use;
    if (config.enabled && !config.insecure && !self.nodeUrl.startsWith('https:')) {
      throw new ServiceError('validation', 'federation is on, and peers would reach this node by plain http', {
        hint: 'set SVC_NODE_URL to the https address of the node, or, for a test, SVC_FEDERATION_INSECURE=true',
      });
    }
    on(nodeMetadata, () => federationMetadata(config));
    const { telemetry, clock, random, cursors, leases, transport, facts, work, identity, info, keys } = use;
    const { audit, node, served } = use;
    const { registry, peerings, federationLog } = openPeerings({
      config,
      tables,
      clock,
      random,
      cursors,
      leases,
      log,
      self,
      identity,
      transport,
      audit,
      keys,
      tenancy: use.tenancy,
      keep: (kept) => keepWithdrawals(context, { ...revocationsBeside(node), tables, clock, kinds: [kept] }),
      route,
      every,
    });
    provide(PeerRegistry, registry);
    const { tokens, proofs, servedCursors } = openServing(context, {
      settings: config,
      self,
      facts,
      identity,
      info,
      clock,
      random,
      work,
      leases,
      peerings,
      federationLog,
      served,
      tenancy: use.tenancy,
    });
    provide(PeerExchange, createPeerExchange({ settings: config, self, transport, peerings, tokens }));
    const ingestParts = { ...use, peerings, proofs, tokens, federationLog };
    const { ingest, usages } = openIngest(context, ingestParts);
    const { store, parked } = openPulling(context, {
      telemetry,
      clock,
      random,
      transport,
      self,
      node,
      peerings,
      tokens,
      served,
      ingest,
      usages,
    });
    const lags = createPeerLags({
      tables,
      facts,
      clock,
      self,
      peerings,
      store,
      parked,
      usages,
      servedCursors,
      maxFactsPerDay: config.maxFactsPerDay,
    });
    provide(PeerLags, lags);
    route(lagRoute(lags, use.keys));
  },
});

const revocationsBeside = ({ dataFolder }: NodeSettings) => ({
  topic: PEERS_CHANGED,
  file: join(dataFolder, REVOKED_PEERINGS.file),
});
