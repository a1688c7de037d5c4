import { arrayReply, type Route, readEntityUri, schema } from '../../kernel/plugin-api.ts';
import { memberJson } from './garden-json.ts';
import { readPathText } from './garden-name.ts';
import { type GardenPath, type GardenRouteParts, gardenPath } from './garden-routes.ts';
import { ROLES, type Role } from './garden-row.ts';

/** Any key comes in: the role in the garden decides (wire contract 2.2). */
const ACCESS = { permission: 'any' } as const;

/** GET /v1/gardens/{…}/members: a bare array, in the order in which they were added. */
export const listMembersRoute = ({ gardens }: GardenRouteParts): Route<GardenPath> => ({
  method: 'GET',
  path: '/v1/gardens/*garden/members',
  summary: 'Members of a garden',
  access: ACCESS,
  params: gardenPath,
  async handle({ caller, params }) {
    const { members } = await gardens.get(readPathText(params.garden, 'garden'), caller);
    return arrayReply(members, memberJson);
  },
});

interface AddBody {
  readonly entity_uri: string;
  readonly role: Role;
}

/** POST /v1/gardens/{…}/members */
export const addMemberRoute = ({ gardens }: GardenRouteParts): Route<GardenPath, undefined, AddBody> => ({
  method: 'POST',
  path: '/v1/gardens/*garden/members',
  summary: 'Let an entity into a garden',
  access: ACCESS,
  params: gardenPath,
  body: schema<AddBody>({
    type: 'object',
    required: ['entity_uri'],
    properties: {
      entity_uri: { type: 'string' },
      role: { type: 'string', enum: ROLES, default: 'reader' },
    },
  }),
  async handle({ caller, params, body }) {
    const entityUri = readEntityUri(body.entity_uri, 'body.entity_uri');
    const member = await gardens.addMember(
      readPathText(params.garden, 'garden'),
      { entityUri, role: body.role },
      caller,
    );
    return { status: 201, body: memberJson(member) };
  },
});

interface MemberPath extends GardenPath {
  readonly entity_uri: string;
}

/** Slug and UUID go as they are; the URI of the garden is percent-encoded, because the tail is the member's. */
const memberPath = schema<MemberPath>({
  type: 'object',
  properties: { garden: { type: 'string' }, entity_uri: { type: 'string' } },
  required: ['garden', 'entity_uri'],
});

/** PATCH /v1/gardens/{…}/members/{entity_uri…} */
export const changeMemberRoute = ({ gardens }: GardenRouteParts): Route<MemberPath, undefined, { role: Role }> => ({
  method: 'PATCH',
  path: '/v1/gardens/:garden/members/*entity_uri',
  summary: 'Change the role of a member',
  access: ACCESS,
  params: memberPath,
  body: schema<{ role: Role }>({
    type: 'object',
    required: ['role'],
    properties: { role: { type: 'string', enum: ROLES } },
  }),
  async handle({ caller, params, body }) {
    const entityUri = readEntityUri(params.entity_uri, 'path.entity_uri');
    const member = await gardens.changeMember(readPathText(params.garden, 'garden'), entityUri, body.role, caller);
    return { status: 200, body: memberJson(member) };
  },
});

/** DELETE /v1/gardens/{…}/members/{entity_uri…}: the member reads nothing of the garden from then on. */
export const removeMemberRoute = ({ gardens }: GardenRouteParts): Route<MemberPath> => ({
  method: 'DELETE',
  path: '/v1/gardens/:garden/members/*entity_uri',
  summary: 'Remove a member from a garden, or leave it',
  access: ACCESS,
  params: memberPath,
  async handle({ caller, params }) {
    await gardens.removeMember(
      readPathText(params.garden, 'garden'),
      readEntityUri(params.entity_uri, 'path.entity_uri'),
      caller,
    );
    return { status: 204 };
  },
});
