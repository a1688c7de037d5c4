import { grouped } from '../../../kernel/internal-api.ts';
import type { Clock, Telemetry } from '../../../kernel/plugin-api.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { PullRow } from './pull-row.ts';
import type { PullStore } from './pull-store.ts';

/** The maximum number of peers with their own metric series. */
const MOST_PEERS = 50;

export interface PullTelemetryParts {
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly peerings: Pick<Peerings, 'active'>;
  readonly store: Pick<PullStore, 'all'>;
}

/** Measures how far the node lags behind each peer that it reads from, by the id of the peering. */
export const measurePulls = ({ telemetry, clock, peerings, store }: PullTelemetryParts): void => {
  const rowsByPeer = async (): Promise<Map<string, PullRow[]>> =>
    grouped(await store.all((await peerings.active()).slice(0, MOST_PEERS)), ({ peerId }) => peerId);
  const declared = { labels: ['peer'], of: 'store', maxSeries: MOST_PEERS } as const;
  telemetry.gauge(
    {
      ...declared,
      name: 'federation_peer_lag_seconds',
      help: `Time since all that the peer had was here, of the scope that is furthest behind; ${MOST_PEERS} peers at most`,
    },
    async () =>
      [...(await rowsByPeer())].flatMap(([peer, rows]) => {
        const caughtUp = rows.flatMap(({ caughtUpMs }) => caughtUpMs ?? []);
        if (caughtUp.length === 0) return [];
        return [{ value: Math.max(0, clock.nowMs() - Math.min(...caughtUp)) / 1_000, labels: { peer } }];
      }),
  );
  telemetry.gauge(
    {
      ...declared,
      name: 'federation_peer_failures',
      help: `Pulls of a peer that failed in a row, of the scope with most; ${MOST_PEERS} peers at most`,
    },
    async () =>
      [...(await rowsByPeer())].map(([peer, rows]) => ({
        value: Math.max(0, ...rows.map(({ failures }) => failures)),
        labels: { peer },
      })),
  );
};
