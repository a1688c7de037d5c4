import { numberOrNull, textOrNull } from '../../kernel/internal-api.ts';
import type { Row, Scope, SqlValue } from '../../kernel/plugin-api.ts';

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

type ReadRow = Readonly<Record<string, SqlValue>>;

export const rowOfGarden = (garden: Garden): Row => ({
  garden_id: garden.id,
  tenant_id: garden.tenantId,
  slug: garden.slug,
  active_slug: garden.deletedMs === null ? garden.slug : null,
  name: garden.name,
  scope: garden.scope,
  description: garden.description,
  created_by: garden.createdBy,
  holder_uri: garden.holderUri,
  created_ms: garden.createdMs,
  quarantine: garden.quarantine ? 1 : 0,
  deleted_ms: garden.deletedMs,
});

export const gardenFromRow = (row: ReadRow): Garden => ({
  id: String(row['garden_id']),
  tenantId: String(row['tenant_id']),
  slug: String(row['slug']),
  name: String(row['name']),
  scope: String(row['scope']) as Scope,
  description: textOrNull(row['description']),
  createdBy: String(row['created_by']),
  holderUri: String(row['holder_uri']),
  createdMs: Number(row['created_ms']),
  quarantine: Number(row['quarantine']) === 1,
  deletedMs: numberOrNull(row['deleted_ms']),
});

/** Returns true if a role may read the facts of a garden. In a quarantine garden only moderators may. */
export const readsFacts = (role: Role, { quarantine }: Pick<Garden, 'quarantine'>): boolean =>
  !quarantine || role === 'admin' || role === 'quarantine:moderator';

export const rowOfMember = (member: Member, garden: Pick<Garden, 'quarantine'>): Row => ({
  garden_id: member.gardenId,
  entity_uri: member.entityUri,
  entity_key: member.entityKey,
  tenant_id: member.tenantId,
  role: member.role,
  reads: readsFacts(member.role, garden) ? 1 : 0,
  added_by: member.addedBy,
  added_ms: member.addedMs,
});

export const memberFromRow = (row: ReadRow): Member => ({
  tenantId: String(row['tenant_id']),
  gardenId: String(row['garden_id']),
  entityUri: String(row['entity_uri']),
  entityKey: String(row['entity_key']),
  role: String(row['role']) as Role,
  addedBy: String(row['added_by']),
  addedMs: Number(row['added_ms']),
});
