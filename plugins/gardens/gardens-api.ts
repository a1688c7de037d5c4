import {
  defineCollectHook,
  defineFactMark,
  defineRef,
  type FactView,
  memberRefusal,
  orNull,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { AttestationJson } from '../attestation/attestation-api.ts';
import { defineAssertionMember } from '../facts/facts-api.ts';
import type { Garden, Member, Role } from './garden-row.ts';
import type { Quarantined, QuarantineStatus } from './quarantine-row.ts';

export { GARDEN, GARDEN_MEMBER } from './garden-json.ts';
export type { Garden, Member, Role } from './garden-row.ts';
export type { Quarantined, QuarantineStatus } from './quarantine-row.ts';

/** A garden with its members, in the order in which they were added. */
export interface GardenWithMembers {
  readonly garden: Garden;
  readonly members: readonly Member[];
}

/** A garden that a caller wants to make. */
export interface GardenDraft {
  /** Trimmed and taken in lower case; then 1 to 63 letters of a to z, digits and dashes, with no dash in front. */
  readonly slug: string;
  /** 1 to 1024 characters after trimming. */
  readonly name: string;
  readonly scope: Scope;
  /** At most 1024 characters. */
  readonly description?: string | null;
  /** Facts wait in it until a moderator lets them out; false by default. */
  readonly quarantine?: boolean;
}

/**
 * Gardens, and who belongs to them. A `garden` is named by its slug, its id or its URI. One that does not exist and one
 * that the caller does not belong to are the same `lookup`; a member without the right gets `authorization`. A key with
 * `admin` counts as an admin of every garden of its tenant. Every change is one transaction with its entry in the audit
 * log, and counts from its commit on.
 */
export interface Gardens {
  /**
   * Makes a garden and its first admin, who is the caller. Needs `write` and the scope. Rejects with `conflict` when an
   * active garden of the tenant has the slug, with `limit_reached` when the caller has as many gardens as one may make,
   * and with `validation` for a draft that breaks a rule.
   */
  create(caller: Principal, draft: GardenDraft): Promise<GardenWithMembers>;
  /** The caller's own gardens, all of the tenant for a key with `admin`; oldest first. Needs `read`. */
  list(caller: Principal): Promise<readonly Garden[]>;
  /** Needs `read`. */
  get(caller: Principal, garden: string): Promise<GardenWithMembers>;
  /**
   * Deletes a garden; its facts stay, and are visible to keys with `admin` alone from then on. Needs `write` or
   * `admin`, and the role `admin`. Rejects with `quarantine_has_pending_facts` while facts wait in it.
   */
  delete(caller: Principal, garden: string): Promise<void>;
  /** Of a garden that the caller belongs to, in the order in which they were added. */
  members(caller: Principal, garden: string): Promise<readonly Member[]>;
  /**
   * Lets an entity in. Needs the role `admin`. Rejects with `conflict` for a member, and with `limit_reached` when the
   * entity belongs to as many gardens as it may.
   */
  addMember(caller: Principal, garden: string, member: { entityUri: string; role: Role }): Promise<Member>;
  /**
   * Gives a member another role. Needs the role `admin`. Giving the same role again changes nothing. Rejects with
   * `lookup` for an entity that is no member, and with `last_admin` when no admin would be left.
   */
  changeMember(caller: Principal, garden: string, entityUri: string, role: Role): Promise<Member>;
  /** Every member may leave; to remove others takes the role `admin`. Rejects as `changeMember` does. */
  removeMember(caller: Principal, garden: string, entityUri: string): Promise<void>;
}

export const Gardens = defineRef<Gardens>('gardens.gardens');

/** Which facts in quarantine a moderator wants to see. */
export interface QuarantineSearch {
  /** Slug, id or URI; all gardens that the caller moderates without one. */
  readonly garden?: string | undefined;
  readonly status?: QuarantineStatus | undefined;
  /** 1 to 1000. */
  readonly limit: number;
  /** How many to skip; 0 or more. */
  readonly offset: number;
}

/** A fact in a quarantine garden. */
export interface HeldFact {
  readonly entry: Quarantined;
  readonly view: FactView;
  readonly garden: Garden;
}

export interface HeldFacts {
  /** By timestamp, newest first. */
  readonly held: readonly HeldFact[];
  /** How many there are over all pages. */
  readonly total: number;
  /** The page ends before its limit, because its facts would take too much memory. */
  readonly truncated: boolean;
}

/** Which fact a moderator decides about. */
export interface Verdict {
  readonly factId: string;
  /** Quarantine garden that the fact must be in; null or absent: whichever it is in. */
  readonly garden?: string | null;
  /** For the audit log; at most 1024 characters. */
  readonly reason?: string | null;
}

/** A promotion is an assertion of the moderator, and comes with what an assertion comes with. */
export interface Promotion extends Verdict {
  /** Slug, id or URI of the garden to copy the fact to; null or absent: outside all gardens. */
  readonly target?: string | null;
  /** The moderator's signature over the fact as its author said it. */
  readonly attestation?: AttestationJson | null;
  readonly sessionId?: string | null;
}

/** What a moderator decided. */
export interface Decision {
  readonly factId: string;
  readonly targetGarden: Garden | null;
  readonly actedBy: string;
  /** RFC 3339. */
  readonly actedAt: string;
}

/**
 * Where facts wait until a moderator has looked at them. Facts never change: a promotion asserts a copy in the
 * moderator's name, and the original ends. Moderators are the members of the garden with the role `admin` or
 * `quarantine:moderator`, and keys with `admin`.
 */
export interface Quarantine {
  /**
   * UUID of the garden that SVC_QUARANTINE_GARDEN_ID names, in this tenant; null when it names none that exists. A fact
   * stored there is pending: only its moderators see it, until one of them lets it out.
   */
  inbound(tenantId: string, snapshot: PluginSnapshot): Promise<string | null>;
  /**
   * Facts in the gardens that the caller moderates. Needs `read`. Rejects with `authorization` for a named garden that
   * the caller does not belong to (`lookup` for a key with `admin`), and with `validation` for a page out of bounds.
   */
  list(caller: Principal, search: QuarantineSearch): Promise<HeldFacts>;
  /**
   * Copies a pending fact to where it is wanted, and ends the original. Needs `write`, and the right to moderate. Every
   * check of an assertion by the moderator is made; the source alone stays the author's. Rejects with `lookup` for a
   * fact that the caller cannot know of, with `fact_not_quarantine_pending` when somebody has decided already (of
   * several at once exactly one does), and as an assertion is refused.
   */
  promote(caller: Principal, promotion: Promotion): Promise<Decision>;
  /** Ends a pending fact for good. Needs and rejects as `promote` does. */
  reject(caller: Principal, verdict: Verdict): Promise<Decision>;
}

export const Quarantine = defineRef<Quarantine>('gardens.quarantine');

/** Note on a draft for a quarantine garden: why it is held, in one word. */
export const QuarantineReason = defineRef<string>('gardens.quarantine-reason');

/** A garden that somebody has just made. */
export interface GardenCreated {
  /** UUID. */
  readonly gardenId: string;
  readonly tenantId: string;
  readonly slug: string;
  readonly scope: Scope;
  /** entity_uri of the caller who made it. */
  readonly createdBy: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/**
 * Called in the transaction that creates the garden, once: what is written there exists exactly when the garden does. A
 * throw takes the garden back.
 */
export const gardenCreated = defineCollectHook<GardenCreated & { readonly transaction: PluginTransaction }, never>(
  'garden:created',
);

/** The member `garden_id` of assertions: the garden by URI, UUID or slug. */
export const GARDEN_ID = defineAssertionMember<string>('garden_id', {
  summary: 'garden that the fact is asserted in, by URI, id or slug',
  schema: { type: ['string', 'null'] },
  read(input, path) {
    if (typeof input === 'string' && input.trim() !== '') return input.trim();
    throw memberRefusal(path, 'must be the URI, id or slug of a garden');
  },
});

/** URI of the garden that the fact is in. Absent outside gardens, and for a garden that is no more. */
export const GARDEN_URI = defineFactMark<string>('gardens.uri', {
  summary: 'the garden of the fact, by its URI',
  members: { garden_id: orNull(STRING_JSON) },
  toJson: (uri, { gardenId }) => ({ garden_id: uri ?? gardenId }),
});

/** Where the fact stands in the quarantine of its garden. Absent for a fact that never was in one. */
export const QUARANTINE = defineFactMark<{ readonly status: QuarantineStatus; readonly garden: string }>(
  'gardens.quarantine',
  {
    summary: 'where the fact stands in the quarantine of its garden',
    members: { quarantine_status: orNull(STRING_JSON), quarantine_garden_id: orNull(STRING_JSON) },
    toJson: (held) => ({ quarantine_status: held?.status ?? null, quarantine_garden_id: held?.garden ?? null }),
  },
);
