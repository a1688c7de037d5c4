import { defineRef, type Principal } from '../../kernel/plugin-api.ts';
import type { Unit } from './manifest.ts';

export type { Unit } from './manifest.ts';

/** A version of a manifest that a caller wants to publish. */
export interface ManifestDraft {
  /** One segment of a URI: no white space, none of `/ \ % ? #`. */
  readonly version: string;
  /**
   * The units, as JSON objects with the members of `UnitJson` in `manifest-json.ts`. They are checked here, so they may
   * come straight from outside.
   */
  readonly entries: readonly unknown[];
  /** Publishes units that have no live text yet; false by default. */
  readonly skipCoverageGate?: boolean;
}

export interface PublishedManifest {
  /** Entity of the fact that holds this version. */
  readonly factUri: string;
  /** Tokens that the manifest itself takes. */
  readonly tokenCount: number;
  /** Whether a unit has a text for its publisher, by the name of the unit, in the order of the manifest. */
  readonly coverage: ReadonlyMap<string, boolean>;
}

/** The manifest of an agent that counts now. */
export interface CurrentManifest {
  readonly version: string;
  readonly factUri: string;
  readonly tokenCount: number;
  /**
   * In the order of their author. Where the author left out the estimate of tokens, it is what the unit takes now, as
   * far as the caller may read it.
   */
  readonly units: readonly Unit[];
  /** RFC 3339. */
  readonly publishedAt: string;
}

/** The intent of an agent, and the room in its context. */
export interface InstructionRequest {
  /** In words; at most 16 KiB. */
  readonly intent: string;
  /** Units to load besides guaranteed ones, 1 to 20; 3 by default. */
  readonly maxChunks?: number;
  /** 1 to 100000; 2000 by default. */
  readonly tokenBudget?: number;
  /** Names of units to load before all others, the most wanted first. */
  readonly hints?: readonly string[];
}

/** The text of one unit. */
export interface InstructionChunk {
  readonly unit: Unit;
  readonly text: string;
  readonly tokens: number;
  /** RFC 3339, or null for a text without an end. */
  readonly validUntil: string | null;
  /** 1 for a hint, otherwise how well the unit fits the intent, below 1. */
  readonly score: number;
}

export interface LoadedInstructions {
  /** In the order in which the agent should read them. */
  readonly chunks: readonly InstructionChunk[];
  readonly totalTokens: number;
  /** The budget kept something out, or guaranteed units went past it. */
  readonly truncated: boolean;
  /** Hints that name no unit, have no text for the caller, or found no room; each once, in the order given. */
  readonly missedHints: readonly string[];
  /** The caller reports with it which chunks it used; good for a day. */
  readonly auditToken: string;
}

/** Names of units. Anything else in the lists is left out of the audit log. */
export interface UsageReport {
  readonly used: readonly unknown[];
  readonly missed: readonly unknown[];
}

/**
 * Manifests of what agents must know, in versions, and the texts that they load for what they are about to do. The
 * texts are facts; a manifest says which of them belong together. An `agentId` that cannot be part of a URI is refused
 * with `validation`.
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
  /** The manifest that counts. Needs `read`. Rejects with `manifest_not_found` when the caller can see none. */
  current(caller: Principal, agentId: string): Promise<CurrentManifest>;
  /**
   * Chooses units for an intent and loads their texts. Hints come first, then units by their fit to the intent, then
   * guaranteed ones, which take no slot and may exceed the budget. A text counts only if it is authoritative and the
   * caller may read it. Each call returns another audit token. Needs `read`, else `instruction_scope_denied`. Rejects
   * with `manifest_not_found`, and with `validation` for a request outside its bounds.
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
