import type { Clock, Logger, Random } from '../../../kernel/plugin-api.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { PeerUsages } from '../ingest/peer-usage.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { FetchParts } from './fetch-page.ts';
import type { ParkedFacts } from './parked-facts.ts';
import type { PullStore } from './pull-store.ts';

export interface TurnParts {
  readonly store: PullStore;
  readonly parked: ParkedFacts;
  readonly ingest: Ingest;
  readonly usages: PeerUsages;
  readonly peerings: Pick<Peerings, 'read' | 'withNodes' | 'refreshKeys'>;
  readonly fetching: FetchParts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly intervalMs: number;
  readonly maxStampLeadMs: number;
  /** The maximum number of new facts per peer and day; 0 means no limit. */
  readonly maxFactsPerDay: number;
}
