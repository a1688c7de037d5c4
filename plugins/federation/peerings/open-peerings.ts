import type { Access, Withdrawals } from '../../../kernel/internal-api.ts';
import type {
  Clock,
  CursorCodec,
  Leases,
  Logger,
  NodeSelf,
  PluginTables,
  Random,
  Route,
  Transport,
} from '../../../kernel/plugin-api.ts';
import type { AuditLog } from '../../audit/audit-api.ts';
import { FEDERATE, type KeyRegistry } from '../../keys/keys-api.ts';
import type { Tenancy } from '../../multi-tenant/multi-tenant-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import type { PeerRegistry } from '../federation-api.ts';
import type { FederationSettings } from '../federation-settings.ts';
import { CHECK_INTERVAL_MS, createPeerChecks } from './check-peers.ts';
import type { FederationLog } from './federation-log.ts';
import { peeringRevocations } from './kept-revocations.ts';
import { KeyRefresher } from './key-refresher.ts';
import { StoredPeerRegistry } from './peer-registry.ts';
import {
  declareRoute,
  federationAuditRoute,
  listPeersRoute,
  registerPeerRoute,
  revokePeerRoute,
} from './peer-routes.ts';
import { PeerStore } from './peer-store.ts';
import type { Peerings } from './peerings.ts';
import { StoredFederationLog } from './stored-federation-log.ts';
import { StoredPeerings } from './stored-peerings.ts';
import { PeerReader } from './verify-peer.ts';
import { verifyWaiting } from './verify-waiting.ts';

/** How often old events are deleted. */
const FORGET_INTERVAL_MS = 3_600_000;

export interface PeeringsParts {
  readonly config: FederationSettings;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly cursors: CursorCodec;
  readonly leases: Leases;
  readonly log: Logger;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly transport: Transport;
  readonly audit: AuditLog | undefined;
  /** Keeps revocations beside the store. */
  keep(revocations: Withdrawals): void;
  readonly keys: KeyRegistry | undefined;
  readonly tenancy: Tenancy | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: routes of any shape
  route(route: Route<any, any, any>): void;
  every(intervalMs: number, task: () => Promise<void>): void;
}

export interface OpenPeerings {
  readonly peerings: Peerings;
  readonly federationLog: FederationLog;
  readonly registry: PeerRegistry;
}

/** Sets up the peerings of this node, with their routes and their periodic check. */
export const openPeerings = (parts: PeeringsParts): OpenPeerings => {
  const { config, tables, clock, random, cursors, self, identity, transport, audit, log, leases } = parts;
  const { metadataPath } = self.names;
  const store = new PeerStore(tables);
  const federationLog = new StoredFederationLog({ tables, clock, random, audit });
  parts.keep(peeringRevocations({ store, tables, clock, federationLog }));
  const reader = new PeerReader({ transport, clock, metadataPath, insecure: config.insecure });
  const refresher = new KeyRefresher({ store, tables, reader, federationLog, clock, log });
  const peerings = new StoredPeerings({ store, tables, clock, refresher });
  const registry = new StoredPeerRegistry({
    enabled: config.enabled,
    self,
    identity,
    store,
    tables,
    reader,
    federationLog,
    clock,
    random,
    tenancy: parts.tenancy,
  });
  // This permission exists only with the plugin keys; the use cases check the caller in both cases.
  const federate: Access = { permission: parts.keys === undefined ? 'any' : FEDERATE };
  const routeParts = { registry, federate, clock, cursors };
  parts.route(registerPeerRoute(routeParts));
  parts.route(declareRoute(routeParts));
  parts.route(listPeersRoute(routeParts));
  parts.route(revokePeerRoute(routeParts));
  parts.route(federationAuditRoute(routeParts));
  parts.every(FORGET_INTERVAL_MS, () => federationLog.deleteOld());
  if (config.enabled) {
    const waiting = { store, tables, reader, federationLog, clock, self };
    const check = createPeerChecks({
      store,
      leases,
      clock,
      check: async (peering) => {
        if (peering.waiting === null) await peerings.refreshKeys(peering);
        else await verifyWaiting(peering, waiting);
      },
    });
    parts.every(CHECK_INTERVAL_MS, check);
  }
  return { peerings, federationLog, registry };
};
