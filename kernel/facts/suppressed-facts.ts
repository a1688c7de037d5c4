import { defineRef } from '../../ports/define-ref.ts';
import type { StoredFact } from '../../ports/fact.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { defineFeedKind } from '../vocabulary/kinds.ts';

/**
 * Provides hidden facts to plugins that copy facts outside the store. The feed announces changes by
 * `SUPPRESSION_CHANGED` and `FACT_RETURNED`.
 */
export interface SuppressedFacts {
  /** Whether any fact is hidden. */
  readonly isSuppressing: boolean;
  /** Returns the facts among these that are hidden from every caller. */
  among<T extends SuppressibleFact>(snapshot: PluginSnapshot, facts: readonly T[]): Promise<readonly T[]>;
  /** Returns the match keys of the entities whose facts a marker hides; none after it was revoked. */
  entitiesOf(snapshot: PluginSnapshot, tenantId: string, markerId: string): Promise<readonly string[]>;
  /** Returns hidden entities of all tenants, in order, strictly after the given one. */
  entitiesAfter(snapshot: PluginSnapshot, after: HiddenEntity, limit: number): Promise<readonly HiddenEntity[]>;
}

export type SuppressibleFact = Pick<StoredFact, 'tenantId' | 'id' | 'entityKey' | 'scope' | 'originNodeId'>;

export interface HiddenEntity {
  readonly tenantId: string;
  readonly entityKey: string;
}

export const SuppressedFacts = defineRef<SuppressedFacts>('facts.suppressed-facts');

/** The feed kind for a new or revoked marker that hides facts. The subject is the marker. */
export const SUPPRESSION_CHANGED = defineFeedKind('tombstone', { summary: 'a tombstone was made or revoked' });
/** The feed kind for a fact that is visible again, or has a newer proof. The subject is the fact. */
export const FACT_RETURNED = defineFeedKind('re-emit', {
  summary: 'a fact that was hidden, or has a newer proof, is served again',
});
