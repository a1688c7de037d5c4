import type { AdapterProblem, ServiceError } from '../../ports/ports.ts';
import { blameAddress } from './blame-address.ts';
import { faultOfError, faultOfState, REPLICA_SETTING, type ReplicaState } from './replica-fault.ts';
import { IDENTITY, TIMELINE } from './replica-statements.ts';
import { firstRowAt } from './same-database.ts';
import { shownAddress } from './shown-address.ts';

const OF_PRIMARY = `SELECT (${IDENTITY}) AS identity, ${TIMELINE} AS timeline`;
const OF_REPLICA = `SELECT (${IDENTITY}) AS identity, timeline_id AS timeline FROM pg_control_checkpoint()`;

type Row = Readonly<Record<string, unknown>>;

/** Returns a warning for each replica that would serve no reads, because the node serves without it. */
export const inspectReplicas = async (
  primaryUrl: string,
  replicaUrls: readonly string[],
): Promise<readonly AdapterProblem[]> => {
  if (replicaUrls.length === 0) return [];
  const primary = await firstRowAt(primaryUrl, OF_PRIMARY);
  const found = await Promise.all(
    replicaUrls.map(async (url): Promise<AdapterProblem[]> => {
      const fault = await faultAt(url, primary);
      if (fault === undefined) return [];
      const { message, hint } = blameAddress(fault, REPLICA_SETTING);
      return [{ message: `${message}; ${shownAddress(url)} serves no reads`, hint, isWarning: true }];
    }),
  );
  return found.flat();
};

const faultAt = async (url: string, primary: Row): Promise<ServiceError | undefined> => {
  try {
    return faultOfState(stateOf(await firstRowAt(url, OF_REPLICA, { isReplica: true }), primary));
  } catch (error) {
    return faultOfError(error);
  }
};

const stateOf = (replica: Row, primary: Row): ReplicaState => {
  if (replica['identity'] !== primary['identity']) return 'foreign';
  return String(replica['timeline']) === String(primary['timeline']) ? 'serves' : 'diverged';
};
