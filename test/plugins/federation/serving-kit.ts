import { NODE_VERSION } from '../../../kernel/internal-api.ts';
import {
  Clock,
  DEFAULT_TENANT,
  definePlugin,
  Facts,
  KERNEL_API,
  Leases,
  NodeSelf,
  Random,
  type Scope,
  ServedTenants,
  SignatureWork,
  VerifiedOrigins,
} from '../../../kernel/plugin-api.ts';
import * as events from '../../../plugins/federation/federation-events.ts';
import { type FederationSettings, federationSettings } from '../../../plugins/federation/federation-settings.ts';
import * as words from '../../../plugins/federation/federation-words.ts';
import type { FederationEvent } from '../../../plugins/federation/peerings/federation-log.ts';
import type { Peering, PeerKey } from '../../../plugins/federation/peerings/peering.ts';
import type { Peerings } from '../../../plugins/federation/peerings/peerings.ts';
import { openServing, type Serving } from '../../../plugins/federation/serving/open-serving.ts';
import { createServingTables } from '../../../plugins/federation/serving/serving-tables.ts';
import * as servingWords from '../../../plugins/federation/serving/serving-words.ts';
import * as tokenWords from '../../../plugins/federation/tokens/token-words.ts';
import { NodeIdentity, NodeInfo } from '../../../plugins/node-info/node-info-api.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { createPeerIdentity, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';

export const NODE_ID = 'svc://n.test';

/** A node that serves facts to peers. The test sets its peerings. */
export interface ServingNode extends TestNode {
  readonly serving: Serving;
  readonly store: FactStore;
  /** The fake implementation of `Peerings`. */
  readonly asks: { -readonly [Name in keyof Peerings]: Peerings[Name] };
  /** The peerings by node id. */
  readonly peerings: Map<string, Peering>;
  readonly recorded: readonly FederationEvent[];
  /** The ids of the nodes whose keys were fetched again, in order. */
  readonly refreshed: readonly string[];
  /** Adds a peer with an active peering, and returns its identity. */
  addPeer(name: string, changes?: Partial<Peering>, scopes?: readonly Scope[]): PeerIdentity;
}

export const keyOf = (peer: PeerIdentity, validUntilMs: number | null = null): PeerKey => ({
  keyId: peer.keyId,
  publicKey: peer.signer.publicKey,
  validUntilMs,
});

export const startServingNode = async (
  options: TestNodeOptions & { readonly settings?: Readonly<Record<string, Partial<FederationSettings>>> } = {},
): Promise<ServingNode> => {
  const peerings = new Map<string, Peering>();
  const recorded: FederationEvent[] = [];
  const refreshed: string[] = [];
  const asks: ServingNode['asks'] = {
    withNode: async (nodeId) => [peerings.get(nodeId) ?? []].flat(),
    withNodes: async (tenantId, nodeIds) =>
      new Map([...peerings].filter(([nodeId, one]) => one.tenantId === tenantId && nodeIds.includes(nodeId))),
    get: async (peerId) => [...peerings.values()].find((one) => one.peerId === peerId),
    active: async () => [...peerings.values()],
    read: async (_snapshot, _tenantId, peerId) => [...peerings.values()].find((one) => one.peerId === peerId),
    refreshKeys: async (peering) => {
      refreshed.push(peering.nodeId);
      return peering;
    },
  };
  let serving: Serving | undefined;
  const plugin = definePlugin({
    name: 'federation',
    version: NODE_VERSION,
    kernelApi: KERNEL_API,
    requires: {
      self: NodeSelf,
      facts: Facts,
      identity: NodeIdentity,
      info: NodeInfo,
      clock: Clock,
      random: Random,
      work: SignatureWork,
      leases: Leases,
      served: ServedTenants,
    },
    provides: [VerifiedOrigins],
    declares: [words, events, servingWords, tokenWords].flatMap((all) => Object.values(all)),
    config: federationSettings,
    migrations: [{ number: 900, name: 'serving', up: createServingTables }],
    setup(context) {
      serving = openServing(context, {
        ...context.use,
        settings: context.config,
        tenancy: undefined,
        peerings: asks,
        federationLog: {
          record: async (entries) => void recorded.push(...entries),
          recordRejections: async (entries) => void recorded.push(...entries),
        },
      });
    },
  });
  const { settings, env, wrapStore = (opened: FactStore) => opened, ...rest } = options;
  let store: FactStore | undefined;
  const node = await startTestNode({
    url: 'https://n.test',
    ...rest,
    wrapStore: (opened) => {
      store = wrapStore(opened);
      return store;
    },
    plugins: ['facts', 'keys', 'gardens', 'node-info', 'source-trust', plugin],
    env: { SVC_NODE_ID: NODE_ID, ...env },
    settings: { federation: { enabled: true, ...settings?.['federation'] } },
  });
  return {
    ...node,
    serving: serving as Serving,
    store: store as unknown as FactStore,
    asks,
    peerings,
    recorded,
    refreshed,
    addPeer(name, changes = {}, scopes = ['public']) {
      const peer = createPeerIdentity(`svc://${name}.test`, () => node.clock.nowMs());
      const declaration = {
        scopes,
        direction: 'bidirectional',
        mayEndOthers: null,
        signedAt: '2026-03-02T09:15:04Z',
        signedMs: 0,
      } as const;
      peerings.set(peer.nodeId, {
        tenantId: DEFAULT_TENANT,
        unicodeVersion: null,
        peerId: `peering-with-${name}`,
        nodeId: peer.nodeId,
        nodeUrl: `https://${name}.test`,
        status: 'active',
        theirs: declaration,
        ours: declaration,
        keys: [keyOf(peer)],
        grantVersion: 1,
        verifiedMs: 0,
        establishedMs: 0,
        createdMs: 0,
        ...changes,
      });
      return peer;
    },
  };
};
