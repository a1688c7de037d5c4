import { formatInstant, type NodeSelf } from '../../kernel/plugin-api.ts';
import type { Garden, Member } from './garden-row.ts';

/** The record of wire contract 10. */
export const gardenJson = (
  garden: Garden,
  members: readonly Member[],
  { names, authority }: NodeSelf,
): Record<string, unknown> => ({
  id: garden.id,
  garden_id: names.gardenUri(authority, garden.slug),
  slug: garden.slug,
  name: garden.name,
  scope: garden.scope,
  description: garden.description,
  created_by: garden.createdBy,
  created_at: formatInstant(garden.createdMs),
  members: members.map(memberJson),
  quarantine: garden.quarantine,
});

export const memberJson = ({ entityUri, role, addedBy, addedMs }: Member): Record<string, unknown> => ({
  entity_uri: entityUri,
  role,
  added_by: addedBy,
  added_at: formatInstant(addedMs),
});
