import { objectRequiring } from '../../kernel/internal-api.ts';
import { arrayReply, component, listOf, NO_BODY, type Route } from '../../kernel/plugin-api.ts';
import { GARDEN_MEMBER, memberJson } from './garden-json.ts';
import { readPathText } from './garden-name.ts';
import { COST_OF_ALL, type GardenPath, type GardenRouteParts, gardenPath } from './garden-routes.ts';
import { ROLES, type Role } from './garden-row.ts';

/** Every key may call these routes, because the role in the garden decides. */
const ACCESS = { permission: 'any' } as const;

/** `GET /v1/gardens/{…}/members` returns a bare array, in the order of joining. */
export const listMembersRoute = ({ gardens }: GardenRouteParts): Route<GardenPath> => ({
  method: 'GET',
  path: '/v1/gardens/*garden/members',
  summary: 'Members of a garden',
  cost: COST_OF_ALL,
  access: ACCESS,
  params: gardenPath,
  answers: { 200: { json: listOf(component(GARDEN_MEMBER)) } },
  example: { params: { garden: 'atlas-team' } },
  handle: async ({ caller, params }) =>
    arrayReply(await gardens.members(caller, readPathText(params.garden, 'garden')), memberJson),
});

interface AddBody {
  readonly entity_uri: string;
  readonly role: Role;
}

/** `POST /v1/gardens/{…}/members` adds a member. */
export const addMemberRoute = ({ gardens }: GardenRouteParts): Route<GardenPath, undefined, AddBody> => ({
  method: 'POST',
  path: '/v1/gardens/*garden/members',
  summary: 'Let an entity into a garden',
  access: ACCESS,
  params: gardenPath,
  body: objectRequiring<AddBody>(['entity_uri'], {
    entity_uri: { type: 'string' },
    role: { type: 'string', enum: ROLES, default: 'reader' },
  }),
  answers: { 201: { json: component(GARDEN_MEMBER) } },
  example: { params: { garden: 'atlas-team' }, body: { entity_uri: 'user:alice', role: 'writer' } },
  async handle({ caller, params, body: { entity_uri: entityUri, role } }) {
    const member = await gardens.addMember(caller, readPathText(params.garden, 'garden'), { entityUri, role });
    return { status: 201, body: memberJson(member) };
  },
});

interface MemberPath extends GardenPath {
  readonly entity_uri: string;
}

/**
 * The path of a member. A slug or UUID is sent unchanged. The URI of a garden is percent-encoded, because the rest of
 * the path names the member.
 */
const memberPath = objectRequiring<MemberPath>(['garden', 'entity_uri'], {
  garden: { type: 'string' },
  entity_uri: { type: 'string' },
});

/** `PATCH /v1/gardens/{…}/members/{entity_uri…}` changes the role of a member. */
export const changeMemberRoute = ({ gardens }: GardenRouteParts): Route<MemberPath, undefined, { role: Role }> => ({
  method: 'PATCH',
  path: '/v1/gardens/:garden/members/*entity_uri',
  summary: 'Change the role of a member',
  access: ACCESS,
  params: memberPath,
  body: objectRequiring<{ role: Role }>(['role'], { role: { type: 'string', enum: ROLES } }),
  answers: { 200: { json: component(GARDEN_MEMBER) } },
  example: { params: { garden: 'atlas-team', entity_uri: 'user:alice' }, body: { role: 'admin' } },
  async handle({ caller, params, body }) {
    const garden = readPathText(params.garden, 'garden');
    const member = await gardens.changeMember(caller, garden, params.entity_uri, body.role);
    return { status: 200, body: memberJson(member) };
  },
});

/** `DELETE /v1/gardens/{…}/members/{entity_uri…}` removes a member, who can no longer read the garden. */
export const removeMemberRoute = ({ gardens }: GardenRouteParts): Route<MemberPath> => ({
  method: 'DELETE',
  path: '/v1/gardens/:garden/members/*entity_uri',
  summary: 'Remove a member from a garden, or leave it',
  access: ACCESS,
  params: memberPath,
  answers: { 204: NO_BODY },
  example: { params: { garden: 'atlas-team', entity_uri: 'user:alice' } },
  async handle({ caller, params }) {
    await gardens.removeMember(caller, readPathText(params.garden, 'garden'), params.entity_uri);
    return { status: 204 };
  },
});
