import { ServiceError } from '../../ports/ports.ts';
import { toServiceError } from './postgres-errors.ts';
import { isBusy } from './postgres-pool.ts';

/** The setting with the addresses of replicas. */
export const REPLICA_SETTING = 'SVC_DATABASE_REPLICA_URLS';

/** The state of a server that is configured as a replica. */
export type ReplicaState = 'serves' | 'behind' | 'promoted' | 'foreign' | 'diverged';

/**
 * The reasons for which a replica serves no reads at all. Lag is not among them, because it passes by itself and the
 * server's metrics show it.
 */
const FAULTS: Readonly<Record<Exclude<ReplicaState, 'serves' | 'behind'>, ServiceError>> = {
  promoted: new ServiceError('unavailable', 'the server follows no primary', {
    hint: 'name a server that follows the primary of SVC_DATABASE_URL, or remove the address',
  }),
  foreign: new ServiceError('unavailable', 'the server follows another primary than the one of SVC_DATABASE_URL', {
    hint: 'name a server that follows that primary, with the same database and schema',
  }),
  diverged: new ServiceError('unavailable', 'the server follows another timeline than the primary', {
    hint: 'after a failover it serves again once it has replayed a checkpoint; if it stays so, build the replica anew',
  }),
};

export const faultOfState = (state: ReplicaState): ServiceError | undefined =>
  state === 'serves' || state === 'behind' ? undefined : FAULTS[state];

/** Returns the fault behind an error of a replica; undefined when all its connections are in use. */
export const faultOfError = (error: unknown): ServiceError | undefined => {
  const known = toServiceError(error);
  if (isBusy(known)) return undefined;
  if (known instanceof ServiceError) return known;
  return new ServiceError('unavailable', 'a read failed there', { hint: 'look into the log of that server' });
};
