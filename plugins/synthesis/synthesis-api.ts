import { defineRef, type Principal, type Scope, type StoredFact } from '../../kernel/plugin-api.ts';

export interface SynthesisRequest {
  /** Includes only facts of this scope; by default all scopes of the caller. */
  readonly scope?: Scope | undefined;
  /** URI of the entity, in any spelling. */
  readonly entity?: string | undefined;
  readonly minConfidence?: number | undefined;
  readonly includeExpired?: boolean | undefined;
  /** The maximum number of listed facts, 1 to 1000. */
  readonly limit: number;
  /** The part of the request with the members, for error messages. `query` by default. */
  readonly path?: 'query' | 'body';
}

export interface SynthesisedFact {
  readonly fact: StoredFact;
  /** URI of its garden, null outside gardens. */
  readonly garden: string | null;
  readonly isExpired: boolean;
  /** True if a live fact of its triple and place has another value. */
  readonly isContradicted: boolean;
}

/** The winner of one triple in one place. */
export interface SynthesisedTriple {
  readonly winner: StoredFact;
  /** URI of its garden, null outside gardens. */
  readonly garden: string | null;
  readonly isContradicted: boolean;
  /** The strongest fact with another value. Null without one. */
  readonly rival: StoredFact | null;
}

/** A summary of the facts of a scope for one caller. */
export interface Synthesis {
  readonly scope: Scope | 'all';
  /** Number of matching facts, including those that are not listed. */
  readonly factCount: number;
  /** Strongest first: confidence, then stamp, then id. */
  readonly facts: readonly SynthesisedFact[];
  /** One for each triple and place of the live listed facts. */
  readonly triples: readonly SynthesisedTriple[];
  readonly contradictionCount: number;
  /** Number of facts below the minimum confidence. */
  readonly filteredCount: number;
  readonly expiredCount: number;
  /** True if facts or rivals are left out because the answer would be too long. */
  readonly isCut: boolean;
  /** Time of the count, in milliseconds since the epoch. */
  readonly madeMs: number;
}

/** A synthesis of more facts than one request should wait for. */
export interface SynthesisJob {
  readonly jobId: string;
  readonly estimatedSeconds: number;
}

export interface Syntheses {
  /**
   * Needs `read`. Rejects with `authorization` for a scope that the key does not have, and with `invalid_entity_uri`.
   * Memory depends on the listed facts, not on the total. Above the threshold, a job makes the synthesis.
   */
  make(caller: Principal, request: SynthesisRequest): Promise<Synthesis | SynthesisJob>;
}

export const Syntheses = defineRef<Syntheses>('synthesis.syntheses');
