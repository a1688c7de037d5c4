import { type InboundRequest, type Principal, ServiceError } from '../../ports/ports.ts';
import type { Turns } from './person-turns.ts';

/** Runs the work of a request when its person has the turn. Rejects instead if the client went away in the meantime. */
export const runInTurn = <T>(
  turns: Turns,
  caller: Principal,
  cost: number,
  request: Pick<InboundRequest, 'signal'>,
  work: () => Promise<T>,
): Promise<T> => {
  let hasWaited = false;
  const reply = turns.run(caller, cost, () => {
    // Looks only after a wait, because the creation of the signal costs more than most handlers do.
    if (hasWaited && request.signal.aborted) throw new ServiceError('unavailable', 'the client has gone away');
    return work();
  });
  hasWaited = true;
  return reply;
};
