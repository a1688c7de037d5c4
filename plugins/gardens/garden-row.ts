import { column, defineRow } from '../../kernel/internal-api.ts';
import type { Row, Scope } from '../../kernel/plugin-api.ts';

export const ROLES = ['admin', 'writer', 'reader', 'quarantine:moderator'] as const;
export type Role = (typeof ROLES)[number];

export interface Garden {
  /** The UUID of the garden. */
  readonly id: string;
  readonly tenantId: string;
  readonly slug: string;
  readonly name: string;
  readonly scope: Scope;
  readonly description: string | null;
  /** The entity_uri of the caller who created the garden. */
  readonly createdBy: string;
  /** The entity whose limit of gardens includes this garden. For a program of a person, this is the person. */
  readonly holderUri: string;
  readonly createdMs: number;
  /** True if facts stay hidden from other members until a moderator has promoted them. */
  readonly quarantine: boolean;
  /** The instant of deletion; null while the garden is active. */
  readonly deletedMs: number | null;
}

export interface Member {
  readonly tenantId: string;
  readonly gardenId: string;
  /** The spelling with which the member was added. */
  readonly entityUri: string;
  /** The key by which the member is found: see `principalKey`. */
  readonly entityKey: string;
  readonly role: Role;
  /** The entity_uri of the caller who added the member. */
  readonly addedBy: string;
  readonly addedMs: number;
}

const GARDEN_ROW = defineRow<Garden>({
  id: column.text('garden_id'),
  tenantId: column.text('tenant_id'),
  slug: column.text('slug'),
  name: column.text('name'),
  scope: column.text('scope'),
  description: column.textOrNull('description'),
  createdBy: column.text('created_by'),
  holderUri: column.text('holder_uri'),
  createdMs: column.number('created_ms'),
  quarantine: column.flag('quarantine'),
  deletedMs: column.numberOrNull('deleted_ms'),
});

export const gardenFromRow = GARDEN_ROW.fromRow;

export const rowOfGarden = (garden: Garden): Row => ({
  ...GARDEN_ROW.rowOf(garden),
  active_slug: garden.deletedMs === null ? garden.slug : null,
});

/** Returns true if a role may read the facts of a garden. In a quarantine garden only moderators may. */
export const readsFacts = (role: Role, { quarantine }: Pick<Garden, 'quarantine'>): boolean =>
  !quarantine || role === 'admin' || role === 'quarantine:moderator';

const MEMBER_ROW = defineRow<Member>({
  tenantId: column.text('tenant_id'),
  gardenId: column.text('garden_id'),
  entityUri: column.text('entity_uri'),
  entityKey: column.text('entity_key'),
  role: column.text('role'),
  addedBy: column.text('added_by'),
  addedMs: column.number('added_ms'),
});

export const memberFromRow = MEMBER_ROW.fromRow;

export const rowOfMember = (member: Member, garden: Pick<Garden, 'quarantine'>): Row => ({
  ...MEMBER_ROW.rowOf(member),
  reads: readsFacts(member.role, garden) ? 1 : 0,
});
