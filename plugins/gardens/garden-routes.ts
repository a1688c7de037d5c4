import {
  arrayReply,
  memberRefusal,
  type NodeSelf,
  type Route,
  SCOPES,
  type Scope,
  schema,
  spellList,
} from '../../kernel/plugin-api.ts';
import { gardenJson, memberJson } from './garden-json.ts';
import { readPathText, SLUG } from './garden-name.ts';
import type { GardenService } from './garden-service.ts';

/** Characters (wire contract 1.9). */
export const MAX_TEXT_LENGTH = 1024;

export interface GardenRouteParts {
  readonly gardens: GardenService;
  readonly self: NodeSelf;
}

export interface GardenPath {
  /** Slug, UUID or URI. */
  readonly garden: string;
}

export const gardenPath = schema<GardenPath>({
  type: 'object',
  properties: { garden: { type: 'string' } },
  required: ['garden'],
});

interface CreateBody {
  readonly slug: string;
  readonly name: string;
  readonly scope: Scope;
  readonly description?: string | null;
  readonly quarantine: boolean;
}

/** POST /v1/gardens (wire contract 10): the caller becomes its first admin. */
export const createGardenRoute = ({ gardens, self }: GardenRouteParts): Route<undefined, undefined, CreateBody> => ({
  method: 'POST',
  path: '/v1/gardens',
  summary: 'Make a garden: a part of a scope that only its members see',
  access: { permission: 'write' },
  body: schema<CreateBody>({
    type: 'object',
    required: ['slug', 'name'],
    properties: {
      slug: { type: 'string', maxLength: MAX_TEXT_LENGTH },
      name: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH },
      scope: { type: 'string', enum: SCOPES, default: 'company' },
      description: { type: ['string', 'null'], maxLength: MAX_TEXT_LENGTH },
      quarantine: { type: 'boolean', default: false },
    },
  }),
  async handle({ caller, body }) {
    const slug = body.slug.trim().toLowerCase();
    if (!SLUG.test(slug)) {
      throw memberRefusal('body.slug', 'must be 1 to 63 letters of a to z, digits and dashes, and begin with no dash');
    }
    const name = body.name.trim();
    if (name === '') throw memberRefusal('body.name', 'must not be empty');
    const { scope, description = null, quarantine } = body;
    const { garden, members } = await gardens.create({ slug, name, scope, description, quarantine }, caller);
    return { status: 201, body: gardenJson(garden, members, self) };
  },
});

/** GET /v1/gardens: a bare array, without the members. */
export const listGardensRoute = ({ gardens, self }: GardenRouteParts): Route => ({
  method: 'GET',
  path: '/v1/gardens',
  summary: "The caller's gardens, oldest first; all of the tenant for an admin",
  access: { permission: 'read' },
  handle: async ({ caller }) => arrayReply(await gardens.list(caller), (garden) => gardenJson(garden, [], self)),
});

/** GET /v1/gardens/{slug, id or URI}: 404 for whoever is no member. */
export const getGardenRoute = ({ gardens, self }: GardenRouteParts): Route<GardenPath> => ({
  method: 'GET',
  path: '/v1/gardens/*garden',
  summary: 'One garden with its members',
  access: { permission: 'read' },
  params: gardenPath,
  async handle({ caller, params }) {
    const { garden, members } = await gardens.get(readPathText(params.garden, 'garden'), caller);
    const record = gardenJson(garden, [], self);
    const list = spellList(members, memberJson);
    return { status: 200, body: { ...record, members: list, ...(list.isCut && { truncated: true }) } };
  },
});

/** DELETE /v1/gardens/{slug, id or URI}: its facts are kept, and visible to admin keys only. */
export const deleteGardenRoute = ({ gardens }: GardenRouteParts): Route<GardenPath> => ({
  method: 'DELETE',
  path: '/v1/gardens/*garden',
  summary: 'Delete a garden; its facts stay hidden',
  // `admin` does not imply `write`, and bypasses membership here.
  access: { permission: ['write', 'admin'] },
  params: gardenPath,
  async handle({ caller, params }) {
    await gardens.delete(readPathText(params.garden, 'garden'), caller);
    return { status: 204 };
  },
});
