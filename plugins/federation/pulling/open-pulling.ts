import {
  type Clock,
  erasureSweeps,
  type NodeSelf,
  type NodeSettings,
  type PluginContext,
  type Random,
  type Requires,
  type ServedTenants,
  type Telemetry,
  type Transport,
} from '../../../kernel/plugin-api.ts';
import type { FederationSettings } from '../federation-settings.ts';
import type { OpenedIngest } from '../ingest/open-ingest.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { PeerTokens } from '../tokens/peer-tokens.ts';
import { ParkedFacts } from './parked-facts.ts';
import { PullStore } from './pull-store.ts';
import { measurePulls } from './pull-telemetry.ts';
import { Puller } from './puller.ts';
import { sweepParked } from './sweep-parked.ts';

export interface OpenedPulling {
  readonly store: PullStore;
  readonly parked: ParkedFacts;
}

export interface PullingNeeds extends OpenedIngest {
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly self: NodeSelf;
  readonly node: NodeSettings;
  readonly peerings: Peerings;
  readonly tokens: PeerTokens;
  readonly served: ServedTenants;
}

type Context = Pick<
  PluginContext<Requires, FederationSettings>,
  'config' | 'tables' | 'log' | 'on' | 'every' | 'onStop'
>;

/** The interval of an additional check, for new peerings and for pulls that ended in other processes. */
const LOOK_INTERVAL_MS = 1_000;

/** Starts the pull of facts from peers. Pulls nothing while federation is off. */
export const openPulling = (
  { config, tables, log, on, every, onStop }: Context,
  needs: PullingNeeds,
): OpenedPulling => {
  const { telemetry, clock, random, transport, self, node, peerings, tokens, ingest, usages, served } = needs;
  const store = new PullStore(tables);
  const parked = new ParkedFacts(tables, node.maxStampLeadMs);
  on(erasureSweeps, () => [sweepParked(tables, self.names)]);
  measurePulls({ telemetry, clock, peerings, store });
  if (!config.enabled) return { store, parked };
  const puller = new Puller({
    store,
    parked,
    ingest,
    usages,
    peerings,
    served,
    clock,
    random,
    log,
    fetching: {
      transport,
      tokens,
      allowPrivate: config.insecure,
      maxFactBytes: node.maxBodyBytes,
      remainingHeader: self.names.headers.remaining,
    },
    intervalMs: config.pullIntervalS * 1_000,
    maxStampLeadMs: node.maxStampLeadMs,
    maxFactsPerDay: config.maxFactsPerDay,
  });
  every(LOOK_INTERVAL_MS, () => puller.look());
  onStop(() => puller.stop());
  return { store, parked };
};
