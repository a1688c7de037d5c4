import {
  type Clock,
  type Facts,
  factErased,
  factRedacted,
  httpPrincipal,
  type Leases,
  type NodeSelf,
  type PluginContext,
  type Random,
  type Requires,
  readAnnotate,
  type ServedTenants,
  type SignatureWork,
  VerifiedOrigins,
} from '../../../kernel/plugin-api.ts';
import type { Tenancy } from '../../multi-tenant/multi-tenant-api.ts';
import type { NodeIdentity, NodeInfo } from '../../node-info/node-info-api.ts';
import { tenantTransfer } from '../../transfer/transfer-api.ts';
import type { FederationSettings } from '../federation-settings.ts';
import type { FederationLog } from '../peerings/federation-log.ts';
import type { Peerings } from '../peerings/peerings.ts';
import { createOriginProofs } from '../proofs/create-origin-proofs.ts';
import type { OriginProofs } from '../proofs/origin-proof.ts';
import { createSignAgain, SIGN_AGAIN_INTERVAL_MS } from '../proofs/sign-again.ts';
import { transferProofs } from '../proofs/transfer-proofs.ts';
import { createMarkOrigins, createVerifiedOrigins } from '../proofs/verified-origins.ts';
import { createPeerTokens } from '../tokens/create-peer-tokens.ts';
import { createIdentifyPeer } from '../tokens/identify-peer.ts';
import type { PeerTokens } from '../tokens/peer-tokens.ts';
import { createSpentNonces } from '../tokens/spent-nonces.ts';
import { markNotGranted } from './mark-not-granted.ts';
import { PULL_PATH, pullRoute } from './pull-route.ts';
import { createServedCursors, type ServedCursors } from './served-cursors.ts';

const SWEEP_INTERVAL_MS = 60_000;

export interface ServingParts {
  readonly settings: FederationSettings;
  readonly self: NodeSelf;
  readonly facts: Facts;
  readonly identity: NodeIdentity;
  readonly info: NodeInfo;
  readonly clock: Clock;
  readonly random: Random;
  readonly work: SignatureWork;
  readonly leases: Leases;
  readonly peerings: Peerings;
  readonly federationLog: FederationLog;
  readonly served: ServedTenants;
  readonly tenancy: Tenancy | undefined;
}

export interface Serving {
  readonly tokens: PeerTokens;
  readonly proofs: OriginProofs;
  readonly servedCursors: ServedCursors;
}

type Context = Pick<PluginContext<Requires, unknown>, 'tables' | 'on' | 'route' | 'every' | 'provide'>;

/** Sets up the serving of facts to peers, with their tokens and proofs. */
export const openServing = ({ tables, on, route, every, provide }: Context, parts: ServingParts): Serving => {
  const { settings, self, facts, identity, info, clock, random, work, peerings, federationLog, served } = parts;
  const nonces = createSpentNonces(tables);
  const tokens = createPeerTokens({ settings, self, identity, peerings, federationLog, nonces, clock, random });
  const proofs = createOriginProofs({
    self,
    identity,
    info,
    random,
    work,
    peerings,
    tables,
    clock,
    tenancy: parts.tenancy,
    requireProof: settings.requireProof,
  });
  const servedCursors = createServedCursors(tables, clock);
  const origins = createVerifiedOrigins(tables);
  provide(VerifiedOrigins, origins);
  on(readAnnotate, createMarkOrigins(origins), { cacheable: true });
  on(readAnnotate, markNotGranted, { cacheable: true });
  on(tenantTransfer, () => transferProofs(tables, clock));
  on(factErased, ({ facts, transaction }) => proofs.redact(facts, transaction));
  on(factRedacted, (redacted) => proofs.redactReferences(redacted));
  on(httpPrincipal, createIdentifyPeer(tokens, PEER_PATHS, served));
  route(pullRoute({ settings, self, facts, tokens, proofs, servedCursors, federationLog }));
  const signAgain = createSignAgain({ self, identity, random, tables, leases: parts.leases, info, proofs });
  if (settings.enabled) every(SIGN_AGAIN_INTERVAL_MS, signAgain);
  every(SWEEP_INTERVAL_MS, () => nonces.sweep(clock.nowMs()));
  return { tokens, proofs, servedCursors };
};

const PEER_PATHS: ReadonlySet<string> = new Set([PULL_PATH, `${PULL_PATH}/push`]);
