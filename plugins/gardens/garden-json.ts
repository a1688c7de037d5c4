import { TRUNCATED_JSON } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  component,
  defineComponent,
  formatInstant,
  INSTANT_JSON,
  listOf,
  type NodeSelf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { type Garden, type Member, ROLES } from './garden-row.ts';

export const GARDEN_MEMBER = defineComponent('GardenMember', {
  summary: 'an entity that belongs to a garden',
  json: objectOf({
    entity_uri: STRING_JSON,
    role: { type: 'string', enum: [...ROLES] },
    added_by: STRING_JSON,
    added_at: INSTANT_JSON,
  }),
});

export const GARDEN = defineComponent('Garden', {
  summary: 'a part of a scope that only its members see',
  json: objectOf(
    {
      id: STRING_JSON,
      garden_id: STRING_JSON,
      slug: STRING_JSON,
      name: STRING_JSON,
      scope: { type: 'string', enum: [...SCOPES] },
      description: orNull(STRING_JSON),
      created_by: STRING_JSON,
      created_at: INSTANT_JSON,
      members: listOf(component(GARDEN_MEMBER)),
      quarantine: BOOLEAN_JSON,
      truncated: TRUNCATED_JSON,
    },
    { optional: ['truncated'] },
  ),
});

/** Returns the JSON of a garden, without its members in lists. */
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
