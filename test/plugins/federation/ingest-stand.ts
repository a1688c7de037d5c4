import {
  Clock,
  DEFAULT_TENANT,
  definePlugin,
  Facts,
  httpPrincipal,
  KERNEL_API,
  NodeSelf,
  NodeSettings,
  optional,
  type Principal,
  Random,
  SCOPES,
  ServedTenants,
  Telemetry,
  Transport,
  Vocabulary,
} from '../../../kernel/plugin-api.ts';
import * as events from '../../../plugins/federation/federation-events.ts';
import { type FederationSettings, federationSettings } from '../../../plugins/federation/federation-settings.ts';
import * as words from '../../../plugins/federation/federation-words.ts';
import type { Ingest } from '../../../plugins/federation/ingest/ingest.ts';
import { createIngestTables } from '../../../plugins/federation/ingest/ingest-tables.ts';
import * as ingestWords from '../../../plugins/federation/ingest/ingest-words.ts';
import { openIngest } from '../../../plugins/federation/ingest/open-ingest.ts';
import type { FederationEvent } from '../../../plugins/federation/peerings/federation-log.ts';
import type { Declaration, Peering } from '../../../plugins/federation/peerings/peering.ts';
import type { Peerings } from '../../../plugins/federation/peerings/peerings.ts';
import type { ProofVerdict } from '../../../plugins/federation/proofs/origin-proof.ts';
import { openPulling } from '../../../plugins/federation/pulling/open-pulling.ts';
import type { PeerTokens } from '../../../plugins/federation/tokens/peer-tokens.ts';
import { Quarantine } from '../../../plugins/gardens/gardens-api.ts';

const PEER_ID = '7d8b7d0c-3f0e-4a63-8a55-000000000001';
export const PEER_NODE = 'svc://p.test';

const declared = (scopes: Declaration['scopes']): Declaration => ({
  scopes,
  direction: 'bidirectional',
  mayEndOthers: null,
  signedAt: '2026-03-01T00:00:00Z',
  signedMs: 0,
});

export const peeringFor = (
  scopes: Declaration['scopes'] = ['public', 'company'],
  changes: Partial<Peering> = {},
): Peering => ({
  tenantId: DEFAULT_TENANT,
  peerId: PEER_ID,
  nodeId: PEER_NODE,
  nodeUrl: 'https://p.test',
  status: 'active',
  theirs: declared(scopes),
  ours: declared(scopes),
  keys: [],
  grantVersion: 1,
  verifiedMs: 0,
  establishedMs: 0,
  unicodeVersion: null,
  createdMs: 0,
  ...changes,
});

/** The fakes around the federation plugin's fact ingest, which a test can change at any time. */
export interface IngestStand {
  peering: Peering;
  /** The peering that a transaction reads; equal to `peering` unless a test changes it. */
  storedPeering: Peering | undefined;
  /** Proof verdicts by signature. A fact without a proof gets the verdict `absent`. */
  readonly verdicts: Map<string, ProofVerdict>;
  readonly keptProofs: string[];
  readonly rejections: FederationEvent[];
  readonly recorded: FederationEvent[];
  ingest: Ingest;
  /** The peers from which the node pulls facts; empty by default. */
  pulled: readonly Peering[];
  /** The ids of the nodes whose keys were fetched again. */
  readonly refreshed: string[];
  /** A callback that runs whenever keys are fetched again. */
  onRefresh(): void;
}

export const createStand = (pulled: readonly Peering[] = []): IngestStand => ({
  peering: peeringFor(),
  storedPeering: undefined,
  verdicts: new Map(),
  keptProofs: [],
  rejections: [],
  recorded: [],
  ingest: undefined as unknown as Ingest,
  pulled,
  refreshed: [],
  onRefresh: () => {},
});

/**
 * A federation plugin reduced to the ingest of facts. It treats every request on a peer route as one of the fake peer.
 */
export const standPlugin = (stand: IngestStand) =>
  definePlugin({
    name: 'federation',
    version: '0.0.0',
    kernelApi: KERNEL_API,
    summary: 'A stand for tests',
    requires: {
      telemetry: Telemetry,
      served: ServedTenants,
      self: NodeSelf,
      node: NodeSettings,
      facts: Facts,
      clock: Clock,
      vocabulary: Vocabulary,
      quarantine: optional(Quarantine),
      random: Random,
      transport: Transport,
    },
    declares: [...Object.values(words), ...Object.values(events), ...Object.values(ingestWords)],
    config: federationSettings,
    migrations: [{ number: 900, name: 'ingest', up: createIngestTables }],
    setup(context) {
      const { on, use } = context;
      const config: FederationSettings = context.config;
      const principal = (): Principal => ({
        kind: words.PEER.id,
        entityUri: stand.peering.nodeId,
        permissions: new Set(),
        allowedScopes: new Set(SCOPES),
        tenantId: stand.peering.tenantId,
        keyId: null,
        oidcSub: null,
      });
      on(httpPrincipal, (_known, { access }) => (access === 'peer' ? principal() : undefined));
      const peerings: Peerings = {
        withNode: async (nodeId) => stand.pulled.filter((peering) => peering.nodeId === nodeId),
        withNodes: async () => new Map(stand.pulled.map((peering) => [peering.nodeId, peering])),
        get: async () => stand.peering,
        active: async () => stand.pulled,
        read: async (_snapshot, _tenantId, peerId) =>
          stand.pulled.find((peering) => peering.peerId === peerId) ?? stand.storedPeering ?? stand.peering,
        refreshKeys: async (peering) => {
          stand.refreshed.push(peering.nodeId);
          stand.onRefresh();
          return peering;
        },
      };
      const tokens: PeerTokens = {
        mint: ({ nodeId }, scopes) => `for ${nodeId}: ${scopes.join(' ')}`,
        accept: async () => ({ principal: principal(), peering: stand.peering, tokenScopes: undefined }),
        callerOf: () => ({ principal: principal(), peering: stand.peering, tokenScopes: undefined }),
      };
      const verified = new Set<string>();
      const opened = openIngest(
        { ...context, config },
        {
          ...use,
          peerings,
          tokens,
          proofs: {
            of: async () => new Map(),
            judge: async (facts) =>
              facts.map(({ proof }) =>
                proof === null ? 'absent' : (stand.verdicts.get(proof.signature) ?? 'invalid'),
              ),
            keep: async (facts) => {
              stand.keptProofs.push(...facts.map(({ stored }) => stored.id));
              for (const { stored, verdict } of facts) if (verdict === 'verified') verified.add(stored.id);
            },
            verifiedAmong: async (ids) => new Set(ids.filter((id) => verified.has(id))),
            renewals: async () => ({ renewed: [], unknown: [] }),
            renew: async () => {},
            redact: async () => ({}),
            redactReferences: async () => {},
          },
          federationLog: {
            record: async (entries) => {
              stand.recorded.push(...entries);
            },
            recordRejections: async (entries) => {
              stand.rejections.push(...entries);
            },
          },
        },
      );
      stand.ingest = opened.ingest;
      openPulling({ ...context, config }, { ...use, ...opened, peerings, tokens });
    },
  });

/** Returns a valid fact of the peer; its id and entity contain the number. */
export const peerFact = (number: number, changes: Readonly<Record<string, unknown>> = {}) => ({
  id: `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  entity: `user:p-${number}`,
  relation: 'memory:note',
  value: { type: 'string', v: `note ${number}`, interpret_as: 'content' },
  source: 'agent:of-p',
  timestamp: '2026-03-02T08:00:00.000Z',
  hlc: `${Date.UTC(2026, 2, 2, 8)}.${number}`,
  confidence: 1,
  scope: 'public',
  valid_until: null,
  derived_from: [],
  ...changes,
});

/** Returns a proof of origin. The fake verifier looks only at its signature. */
export const standProof = (signature: string) => ({
  key_id: '0123456789abcdef',
  salt: 'AAAAAAAAAAAAAAAAAAAAAA',
  refs_salt: 'AAAAAAAAAAAAAAAAAAAAAA',
  signature,
});
