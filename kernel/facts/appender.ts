import type { Principal } from '../../ports/ports.ts';
import type { Origin } from './fact-draft.ts';

/** Who appends, and on what grounds. */
export interface Appender {
  readonly caller: Principal;
  readonly origin: Origin;
}

/** What the node says itself is not judged, nor what follows from other facts or comes from a peer. */
export const isByClient = ({ caller, origin }: Appender): boolean => origin === 'client' && caller.kind !== 'node';
