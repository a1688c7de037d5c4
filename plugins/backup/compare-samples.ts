import { REDACTED_REFERENCE } from '../../kernel/internal-api.ts';
import type { SampledFact } from './backup-api.ts';

export interface SampleDifference {
  readonly tenantId: string;
  readonly factId: string;
  /** The difference, without a value. */
  readonly message: string;
}

/** Counts the facts of the backup that were erased after it. */
export const countErased = (restored: readonly SampledFact[], live: readonly SampledFact[]): number =>
  restored.filter(({ state }, at) => state === 'keyless' || (state === 'hidden' && isGone(live[at]))).length;

const isGone = (fact: SampledFact | undefined): boolean => fact?.state === 'erased' || fact?.state === 'keyless';

/** Compares facts of a restored store with the same facts of the store in use. Both lists have the same order. */
export const compareSamples = (
  restored: readonly SampledFact[],
  live: readonly SampledFact[],
  erasedTenants: ReadonlySet<string>,
): SampleDifference[] =>
  restored.flatMap((one, at) => {
    const message = differenceOf(one, live[at], erasedTenants.has(one.tenantId));
    return message === undefined ? [] : [{ tenantId: one.tenantId, factId: one.id, message }];
  });

/** A tombstone made or revoked since the backup hides a fact in one of the stores, which is no fault. */
const differenceOf = (
  restored: SampledFact,
  live: SampledFact | undefined,
  isTenantErased: boolean,
): string | undefined => {
  if (live === undefined || live.state === 'missing') {
    return isTenantErased ? undefined : 'is in the backup, and missing in the store';
  }
  // The journal of erasures hides a fact at the start, and erases it afterwards.
  if (isGone(live)) {
    return restored.state === 'there' ? 'is erased or damaged in the store, and readable after a restore' : undefined;
  }
  if (isGone(restored)) return 'is readable in the store, and erased or damaged in the backup';
  const isEqual = restored.digest === live.digest && areEqual(restored.references, live.references);
  return isEqual ? undefined : 'differs in its value or its provenance';
};

/** An erasure since the backup redacts references in one of the stores, so a redacted one equals every reference. */
const areEqual = (restored: readonly string[], live: readonly string[]): boolean =>
  restored.length === live.length &&
  restored.every((one, at) => one === live[at] || one === REDACTED_REFERENCE || live[at] === REDACTED_REFERENCE);
