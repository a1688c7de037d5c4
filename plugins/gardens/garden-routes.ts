import { objectRequiring } from '../../kernel/internal-api.ts';
import {
  arrayReply,
  component,
  listOf,
  NO_BODY,
  type NodeSelf,
  type Route,
  SCOPES,
  spellList,
} from '../../kernel/plugin-api.ts';
import { gardenJson, memberJson } from './garden-json.ts';
import { readPathText } from './garden-name.ts';
import { DELETES } from './garden-service.ts';
import { GARDEN, type GardenDraft, type Gardens } from './gardens-api.ts';
import { MAX_TEXT_LENGTH } from './read-garden-draft.ts';

export interface GardenRouteParts {
  readonly gardens: Gardens;
  readonly self: NodeSelf;
}

export interface GardenPath {
  /** The slug, UUID or URI of the garden. */
  readonly garden: string;
}

export const gardenPath = objectRequiring<GardenPath>(['garden'], { garden: { type: 'string' } });

/** `POST /v1/gardens` creates a garden with the caller as its first admin. */
export const createGardenRoute = ({ gardens, self }: GardenRouteParts): Route<undefined, undefined, GardenDraft> => ({
  method: 'POST',
  path: '/v1/gardens',
  summary: 'Make a garden: a part of a scope that only its members see',
  access: { permission: 'write' },
  body: objectRequiring<GardenDraft>(['slug', 'name'], {
    slug: { type: 'string', maxLength: MAX_TEXT_LENGTH },
    name: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH },
    scope: { type: 'string', enum: SCOPES, default: 'company' },
    description: { type: ['string', 'null'], maxLength: MAX_TEXT_LENGTH },
    quarantine: { type: 'boolean', default: false },
  }),
  answers: { 201: { json: component(GARDEN) } },
  example: {
    body: {
      slug: 'atlas-team',
      name: 'Atlas team',
      scope: 'company',
      description: 'What only the people and agents of project Atlas see',
      quarantine: false,
    },
  },
  async handle({ caller, body }) {
    const { garden, members } = await gardens.create(caller, body);
    return { status: 201, body: gardenJson(garden, members, self) };
  },
});

/** The cost of a list without pages. An entity has 1,000 gardens at most, and a garden may have as many members. */
export const COST_OF_ALL = 250;

/** `GET /v1/gardens` returns a bare array of gardens, without their members. */
export const listGardensRoute = ({ gardens, self }: GardenRouteParts): Route => ({
  method: 'GET',
  path: '/v1/gardens',
  summary: "The caller's gardens, oldest first; all of the tenant for an admin",
  cost: COST_OF_ALL,
  access: { permission: 'read' },
  answers: { 200: { json: listOf(component(GARDEN)) } },
  example: {},
  handle: async ({ caller }) => arrayReply(await gardens.list(caller), (garden) => gardenJson(garden, [], self)),
});

/** `GET /v1/gardens/{slug, id or URI}` replies 404 to callers who are not members. */
export const getGardenRoute = ({ gardens, self }: GardenRouteParts): Route<GardenPath> => ({
  method: 'GET',
  path: '/v1/gardens/*garden',
  summary: 'One garden with its members',
  cost: COST_OF_ALL,
  access: { permission: 'read' },
  params: gardenPath,
  answers: { 200: { json: component(GARDEN) } },
  example: { params: { garden: 'atlas-team' } },
  async handle({ caller, params }) {
    const { garden, members } = await gardens.get(caller, readPathText(params.garden, 'garden'));
    const record = gardenJson(garden, [], self);
    const list = await spellList(members, memberJson);
    return { status: 200, body: { ...record, members: list, ...(list.isCut && { truncated: true }) } };
  },
});

/** `DELETE /v1/gardens/{slug, id or URI}` keeps the garden's facts, but only admin keys see them. */
export const deleteGardenRoute = ({ gardens }: GardenRouteParts): Route<GardenPath> => ({
  method: 'DELETE',
  path: '/v1/gardens/*garden',
  summary: 'Delete a garden; its facts stay hidden',
  access: { permission: DELETES },
  params: gardenPath,
  answers: { 204: NO_BODY },
  example: { params: { garden: 'atlas-team' } },
  async handle({ caller, params }) {
    await gardens.delete(caller, readPathText(params.garden, 'garden'));
    return { status: 204 };
  },
});
