import { defineRef, type Principal } from '../../kernel/plugin-api.ts';
import type { Unit } from './manifest.ts';

export type { Unit } from './manifest.ts';

/** A version of a manifest that a caller wants to publish. */
export interface ManifestDraft {
  /** One segment of a URI: no white space, none of `/ \ % ? #`. */
  readonly version: string;
  /**
   * The units, as JSON objects with the members of `UnitJson` in `manifest-json.ts`. `publish` checks them, so they may
   * come directly from a request.
   */
  readonly entries: readonly unknown[];
  /** If true, publishes units without a live text. False by default. */
  readonly skipCoverageGate?: boolean;
}

export interface PublishedManifest {
  /** The identifier (`fact:...`) of the fact that stores this version of the manifest. */
  readonly factUri: string;
  /** Number of tokens of the manifest itself. */
  readonly tokenCount: number;
  /** For each unit name, true if the publisher can read a text of the unit. In the order of the manifest. */
  readonly coverage: ReadonlyMap<string, boolean>;
}

/** The current manifest of an agent. */
export interface CurrentManifest {
  readonly version: string;
  readonly factUri: string;
  readonly tokenCount: number;
  /**
   * In the order of their author. If the author gave no estimate of tokens, it is the present size of the text that the
   * caller may read.
   */
  readonly units: readonly Unit[];
  /** RFC 3339. */
  readonly publishedAt: string;
}

/** The intent of an agent, and the room in its context. */
export interface InstructionRequest {
  /** Plain text of at most 16 KiB. */
  readonly intent: string;
  /** Units to load besides guaranteed ones, 1 to 20; 3 by default. */
  readonly maxChunks?: number;
  /** The limit of tokens: 1 to 100000, 2000 by default. */
  readonly tokenBudget?: number;
  /** Names of units to load before all others, in order of preference. */
  readonly hints?: readonly string[];
}

/** The text of one unit. */
export interface InstructionChunk {
  readonly unit: Unit;
  readonly text: string;
  readonly tokens: number;
  /** RFC 3339. Null for a text that never expires. */
  readonly validUntil: string | null;
  /** 1 for a hint; otherwise how well the unit matches the intent, below 1. */
  readonly score: number;
}

export interface LoadedInstructions {
  /** In the order in which the agent should read them. */
  readonly chunks: readonly InstructionChunk[];
  readonly totalTokens: number;
  /** True if the budget excluded a unit, or if guaranteed units exceeded it. */
  readonly truncated: boolean;
  /**
   * Hints without a loaded unit: unknown, without a text for the caller, or beyond the limits. Each once, in the order
   * given.
   */
  readonly missedHints: readonly string[];
  /** The caller reports the used chunks with this token, which is valid for a day. */
  readonly auditToken: string;
}

/** The names of used and unused units. Other texts in the lists are left out of the audit log. */
export interface UsageReport {
  readonly used: readonly unknown[];
  readonly missed: readonly unknown[];
}

/**
 * Versioned manifests of the knowledge that agents need, and the texts that agents load for an intent. The texts are
 * facts, and a manifest groups them. An `agentId` that cannot be part of a URI is refused with `validation`.
 */
export interface Instructions {
  /**
   * Stores a version and makes it the current one. Publishing a version again with the same content changes nothing and
   * returns the same. The caller needs `write` and scope `local`. The first publisher must be the agent itself or hold
   * `instruction:write` or `admin`, and owns the agent from then on; only the owner and administrators publish later.
   * Otherwise rejects with `authorization` or `instruction_write_required`. Rejects with `manifest_entry_invalid`,
   * `guarantee_cap_exceeded` and `manifest_too_large` for a manifest that breaks a rule. Rejects with
   * `manifest_version_conflict` for a version published with other content, and with `manifest_coverage_failure` for
   * units without a live authoritative text, unless the gate is skipped.
   */
  publish(caller: Principal, agentId: string, draft: ManifestDraft): Promise<PublishedManifest>;
  /** Returns the current manifest. Needs `read`. Rejects with `manifest_not_found` if the caller can see none. */
  current(caller: Principal, agentId: string): Promise<CurrentManifest>;
  /**
   * Chooses units for an intent and loads their texts. Hints come first, then units by how well they match the intent,
   * then guaranteed ones, which take no slot and may exceed the budget. A text is loaded only if it is authoritative
   * and the caller may read it. Each call returns another audit token. Needs `read`, otherwise rejects with
   * `instruction_scope_denied`. Rejects with `manifest_not_found`, and with `validation` for a request outside its
   * bounds.
   */
  load(caller: Principal, agentId: string, request: InstructionRequest): Promise<LoadedInstructions>;
  /**
   * Records in the audit log which of the loaded chunks the caller used. The first report for a token counts, later
   * ones change nothing. Rejects with `audit_token_invalid` for a token that was never given to this caller, and
   * with `audit_token_expired` after a day.
   */
  report(caller: Principal, auditToken: string, report: UsageReport): Promise<void>;
}

export const Instructions = defineRef<Instructions>('instructions.instructions');
