import {
  defineCollectHook,
  defineFactMark,
  defineRef,
  type FactView,
  orNull,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { AttestationJson } from '../attestation/attestation-api.ts';
import type { Garden, Member, Role } from './garden-row.ts';
import type { QuarantineRecord, QuarantineStatus } from './quarantine-row.ts';

export { GARDEN } from './garden-json.ts';
export type { Garden, Member, Role } from './garden-row.ts';
export type { QuarantineRecord, QuarantineStatus } from './quarantine-row.ts';

/** A garden with its members, in the order of joining. */
export interface GardenWithMembers {
  readonly garden: Garden;
  readonly members: readonly Member[];
}

export interface GardenDraft {
  /**
   * The slug, which is trimmed and lowercased: 1 to 63 letters from a to z, digits and dashes, without a leading dash.
   */
  readonly slug: string;
  /** The name: 1 to 1024 characters after trimming. */
  readonly name: string;
  readonly scope: Scope;
  /** The description; at most 1024 characters. */
  readonly description?: string | null;
  /** True if facts stay hidden until a moderator promotes them; false by default. */
  readonly quarantine?: boolean;
}

/**
 * Manages gardens and their members. A `garden` is the slug, id or URI of one. Callers who are not members get the same
 * `lookup` as for an unknown garden; a member without the right gets `authorization`. A key with `admin` counts as an
 * admin of every garden of its tenant. Each change is one transaction with its audit entry, and takes effect with its
 * commit.
 */
export interface Gardens {
  /**
   * Creates a garden with the caller as its first admin. Needs `write` and the scope. Rejects with `conflict` if an
   * active garden of the tenant has the slug; with `limit_reached` if the caller has created too many gardens. Rejects
   * with `validation` for a draft that breaks a rule.
   */
  create(caller: Principal, draft: GardenDraft): Promise<GardenWithMembers>;
  /** Returns the caller's own gardens, oldest first; for a key with `admin` all gardens of the tenant. Needs `read`. */
  list(caller: Principal): Promise<readonly Garden[]>;
  /** Returns a garden with its members. Needs `read`. */
  get(caller: Principal, garden: string): Promise<GardenWithMembers>;
  /**
   * Deletes a garden. Its facts stay, visible only to keys with `admin`. Needs `write` or `admin`, and the role
   * `admin`. Rejects with `quarantine_has_pending_facts` while it has facts that no moderator has judged.
   */
  delete(caller: Principal, garden: string): Promise<void>;
  /** Returns the members of one of the caller's gardens, in the order of joining. */
  members(caller: Principal, garden: string): Promise<readonly Member[]>;
  /**
   * Adds a member. Needs the role `admin`. Rejects with `conflict` for an existing member, in any spelling, and with
   * `limit_reached` if the entity belongs to too many gardens, or the garden has too many members.
   */
  addMember(caller: Principal, garden: string, member: { entityUri: string; role: Role }): Promise<Member>;
  /**
   * Changes the role of a member. Needs the role `admin`. An equal role changes nothing. Rejects with `lookup` for an
   * entity that is not a member, and with `last_admin` if no admin would be left.
   */
  changeMember(caller: Principal, garden: string, entityUri: string, role: Role): Promise<Member>;
  /**
   * Removes a member. Every member may leave; removing others needs the role `admin`. Rejects as `changeMember` does.
   */
  removeMember(caller: Principal, garden: string, entityUri: string): Promise<void>;
}

export const Gardens = defineRef<Gardens>('gardens.gardens');

/** The filter and the page of a list of quarantined facts. */
export interface QuarantineSearch {
  /** The slug, id or URI of a garden; by default all gardens that the caller moderates. */
  readonly garden?: string | undefined;
  readonly status?: QuarantineStatus | undefined;
  /** The maximum number of facts: 1 to 1000. */
  readonly limit: number;
  /** The number of facts to skip; 0 or more. */
  readonly offset: number;
}

/** A fact in a quarantine garden. */
export interface HeldFact {
  readonly entry: QuarantineRecord;
  readonly view: FactView;
  readonly garden: Garden;
}

export interface HeldFacts {
  /** The facts by timestamp, newest first. */
  readonly held: readonly HeldFact[];
  /** The number of facts on all pages. */
  readonly total: number;
  /** True if the page ends before its limit, because its facts would take too much memory. */
  readonly truncated: boolean;
}

/** A moderator's judgement on a fact. */
export interface Verdict {
  readonly factId: string;
  /** The quarantine garden of the fact; null or absent for any garden. */
  readonly garden?: string | null;
  /** The reason, which the audit log records; at most 1024 characters. */
  readonly reason?: string | null;
}

/** A judgement that promotes a fact. It asserts a copy as the moderator, and takes the options of an assertion. */
export interface Promotion extends Verdict {
  /** The slug, id or URI of the garden for the copy; null or absent to store it outside all gardens. */
  readonly target?: string | null;
  /** The moderator's signature over the fact as its author asserted it. */
  readonly attestation?: AttestationJson | null;
  readonly sessionId?: string | null;
}

/** The result of a moderator's judgement. */
export interface Decision {
  readonly factId: string;
  readonly targetGarden: Garden | null;
  readonly actedBy: string;
  /** The time of the judgement, RFC 3339. */
  readonly actedAt: string;
}

/**
 * Gardens that hide facts until a moderator has judged them. Facts never change: a promotion asserts a copy in the
 * moderator's name, and the original ends. Moderators are members with the role `admin` or `quarantine:moderator`, and
 * keys with `admin`.
 */
export interface Quarantine {
  /**
   * Returns the UUID of the garden in SVC_QUARANTINE_GARDEN_ID, in this tenant; null if it does not exist. Only its
   * moderators see a fact stored there, until one of them promotes it.
   */
  inbound(tenantId: string, snapshot: PluginSnapshot): Promise<string | null>;
  /**
   * Returns facts in the gardens that the caller moderates. Needs `read`. Rejects with `authorization` for a named
   * garden that the caller does not belong to (`lookup` for a key with `admin`), and with `validation` for a page out
   * of range.
   */
  list(caller: Principal, search: QuarantineSearch): Promise<HeldFacts>;
  /**
   * Copies a pending fact to its target, and ends the original. Needs `write`, and the right to moderate. All checks of
   * an assertion by the moderator apply, but the source stays the author's. Rejects with `lookup` for a fact that the
   * caller may not know of. Rejects with `fact_not_quarantine_pending` if it was judged already; of several
   * simultaneous calls one succeeds. Otherwise rejects as an assertion does.
   */
  promote(caller: Principal, promotion: Promotion): Promise<Decision>;
  /** Ends a pending fact permanently. Has the requirements and errors of `promote`. */
  reject(caller: Principal, verdict: Verdict): Promise<Decision>;
}

export const Quarantine = defineRef<Quarantine>('gardens.quarantine');

/** A note on a draft for a quarantine garden: the reason for its quarantine, in one word. */
export const QuarantineReason = defineRef<string>('gardens.quarantine-reason');

export interface GardenCreated {
  /** The UUID of the garden. */
  readonly gardenId: string;
  readonly tenantId: string;
  readonly slug: string;
  readonly scope: Scope;
  /** The entity_uri of the caller who created the garden. */
  readonly createdBy: string;
  /** The time of creation, in milliseconds since the epoch. */
  readonly createdMs: number;
}

/**
 * Runs once, in the transaction that creates a garden, so that writes of its handlers commit together with it. An error
 * cancels the creation.
 */
export const gardenCreated = defineCollectHook<GardenCreated & { readonly transaction: PluginTransaction }, never>(
  'garden:created',
);

/** The mark with the URI of the fact's garden. Absent outside gardens, and for a deleted garden. */
export const GARDEN_URI = defineFactMark<string>('gardens.uri', {
  summary: 'the garden of the fact, by its URI',
  members: { garden_id: orNull(STRING_JSON) },
  toJson: (uri, { gardenId }) => ({ garden_id: uri ?? gardenId }),
});

/** The mark with the fact's quarantine state. Absent for a fact that was never in quarantine. */
export const QUARANTINE = defineFactMark<{ readonly status: QuarantineStatus; readonly garden: string }>(
  'gardens.quarantine',
  {
    summary: 'where the fact stands in the quarantine of its garden',
    members: { quarantine_status: orNull(STRING_JSON), quarantine_garden_id: orNull(STRING_JSON) },
    toJson: (held) => ({ quarantine_status: held?.status ?? null, quarantine_garden_id: held?.garden ?? null }),
  },
);
