import { defineRef, type Hlc } from '../../ports/ports.ts';
import { MAX_COUNTER } from '../time/hybrid-logical-clock.ts';
import { type Notes, noteOf } from './fact-draft.ts';

/**
 * The moment of a read. There are two times: record time, by this node's feed stamps, and validity, by the times that
 * facts carry.
 */
export interface ReadMoment {
  /** The instant for lifetimes. */
  readonly nowMs: number;
  /** Record time: facts with a later feed stamp count as not written. Absent for everything that is stored. */
  readonly asOf?: Hlc | undefined;
  /** The read is about validity at `nowMs`: neither facts nor covers that begin later count. */
  readonly isValidity?: true | undefined;
}

/** Note of a read, `noted(AsOf, stamp)`: the read answers as this node would have at that stamp. */
export const AsOf = defineRef<Hlc>('kernel.read-as-of');

/** Note of a read, in milliseconds since the epoch: the read returns the facts that were valid at that instant. */
export const ValidAt = defineRef<number>('kernel.read-valid-at');

/** The moment that the notes of a read set; the present one without them. */
export const momentOf = (notes: Notes | undefined, nowMs: number): ReadMoment => {
  if (notes === undefined) return { nowMs };
  const asOf = noteOf(notes, AsOf);
  const validAtMs = noteOf(notes, ValidAt);
  if (validAtMs !== undefined) return { nowMs: validAtMs, asOf, isValidity: true };
  return asOf === undefined ? { nowMs } : { nowMs: asOf.wallMs, asOf };
};

/** The last stamp of a millisecond: a read as of it includes everything recorded up to that instant. */
export const lastStampOf = (ms: number): Hlc => ({ wallMs: ms, counter: MAX_COUNTER });

/** The next stamp, for a comparison that includes this one. */
export const stampAfter = ({ wallMs, counter }: Hlc): Hlc =>
  counter < MAX_COUNTER ? { wallMs, counter: counter + 1 } : { wallMs: wallMs + 1, counter: 0 };
