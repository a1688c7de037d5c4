import { defineRef, type Hlc } from '../../ports/ports.ts';
import { MAX_COUNTER } from '../time/hybrid-logical-clock.ts';
import { type Notes, noteOf } from './fact-draft.ts';

/**
 * The moment of a read. It has two times: record time, by this node's feed stamps, and validity, by the times in facts.
 */
export interface ReadMoment {
  /** The instant for lifetimes, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** The record time: facts with a later feed stamp count as not written. Absent for a read of everything stored. */
  readonly asOf?: Hlc | undefined;
  /** True for a read about validity at `nowMs`, which ignores facts and covers that begin later. */
  readonly isValidity?: true | undefined;
}

/** A note on a read, `noted(AsOf, stamp)`: the read answers as this node would have done at that stamp. */
export const AsOf = defineRef<Hlc>('kernel.read-as-of');

/** A note on a read, in milliseconds since the epoch: the read returns the facts that were valid at that instant. */
export const ValidAt = defineRef<number>('kernel.read-valid-at');

/** Returns the moment that the notes of a read set; without them, the present. */
export const momentOf = (notes: Notes | undefined, nowMs: number): ReadMoment => {
  if (notes === undefined) return { nowMs };
  const asOf = noteOf(notes, AsOf);
  const validAtMs = noteOf(notes, ValidAt);
  if (validAtMs !== undefined) return { nowMs: validAtMs, asOf, isValidity: true };
  return asOf === undefined ? { nowMs } : { nowMs: asOf.wallMs, asOf };
};

/** Returns the last stamp of a millisecond. A read as of it includes everything recorded up to that instant. */
export const lastStampOf = (ms: number): Hlc => ({ wallMs: ms, counter: MAX_COUNTER });

/** Returns the next stamp, for a comparison that includes the given one. */
export const stampAfter = ({ wallMs, counter }: Hlc): Hlc =>
  counter < MAX_COUNTER ? { wallMs, counter: counter + 1 } : { wallMs: wallMs + 1, counter: 0 };
