import { defineRef, type Principal, type Scope, type StoredFact } from '../../kernel/plugin-api.ts';

export interface SynthesisRequest {
  /** Facts of this scope alone; all scopes of the caller without it. */
  readonly scope?: Scope | undefined;
  /** By its URI, in any spelling. */
  readonly entity?: string | undefined;
  readonly minConfidence?: number | undefined;
  readonly includeExpired?: boolean | undefined;
  /** Facts that are listed, 1 to 1000. */
  readonly limit: number;
  /** Where the members stand, for refusals that name them; `query` without it. */
  readonly path?: 'query' | 'body';
}

export interface SynthesisedFact {
  readonly fact: StoredFact;
  /** URI of its garden, null outside gardens. */
  readonly garden: string | null;
  readonly isExpired: boolean;
  /** A live fact of its triple and place says otherwise. */
  readonly isContradicted: boolean;
}

/** The winner of one triple in one place. */
export interface SynthesisedTriple {
  readonly winner: StoredFact;
  /** URI of its garden, null outside gardens. */
  readonly garden: string | null;
  readonly isContradicted: boolean;
  /** The strongest fact that says otherwise; null where there is none. */
  readonly rival: StoredFact | null;
}

/** A summary of the facts of a scope for one caller. */
export interface Synthesis {
  readonly scope: Scope | 'all';
  /** Facts that the request names, listed or not. */
  readonly factCount: number;
  /** Strongest first: confidence, then stamp, then id. */
  readonly facts: readonly SynthesisedFact[];
  /** One for each triple and place of the facts that are listed and live. */
  readonly triples: readonly SynthesisedTriple[];
  readonly contradictionCount: number;
  /** Facts that are left out for their confidence. */
  readonly filteredCount: number;
  readonly expiredCount: number;
  /** Facts that are listed, or rivals, are left out for their length. */
  readonly isCut: boolean;
  /** When the facts were counted, in milliseconds since the epoch. */
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
   * Its memory depends on the listed facts, not on the total. Above the threshold of jobs a job does it.
   */
  make(caller: Principal, request: SynthesisRequest): Promise<Synthesis | SynthesisJob>;
}

export const Syntheses = defineRef<Syntheses>('synthesis.syntheses');
