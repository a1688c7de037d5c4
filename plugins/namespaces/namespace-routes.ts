import {
  type CursorParts,
  objectRequiring,
  objectSchema,
  type PageQuery,
  pageMembers,
} from '../../kernel/internal-api.ts';
import { bindCursor, NO_BODY, type Route } from '../../kernel/plugin-api.ts';
import { NAMESPACE_JSON, NAMESPACE_PAGE_JSON, namespaceJson } from './namespace-json.ts';
import { MAX_PATTERN_LENGTH } from './namespace-pattern.ts';
import { DEFAULT_PAGE, MAX_OWNERS, MAX_PAGE } from './namespace-service.ts';
import type { Namespaces } from './namespaces-api.ts';

const PATH = '/v1/namespaces';
const ADMIN = { permission: 'admin' } as const;
const DIMENSION = 'admin_action';

export interface NamespaceRouteParts extends CursorParts {
  readonly namespaces: Namespaces;
}

/** `GET /v1/namespaces` */
export const listNamespacesRoute = (parts: NamespaceRouteParts): Route<undefined, PageQuery> => ({
  method: 'GET',
  path: PATH,
  summary: 'Namespaces of the tenant with their owners',
  access: ADMIN,
  dimension: DIMENSION,
  query: objectSchema<PageQuery>({
    ...pageMembers(DEFAULT_PAGE, MAX_PAGE),
  }),
  answers: { 200: { json: NAMESPACE_PAGE_JSON } },
  example: { query: { limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const { namespaces } = parts;
    const bound = bindCursor(request, query.cursor, {}, parts);
    const after = bound.position && String(bound.position[0]);
    const { rules, total, more } = await namespaces.list(caller, { after, limit: query.limit });
    const { list, cursor } = await bound.page(rules, query.limit, {
      positionOf: ({ pattern }) => [pattern],
      toJson: namespaceJson,
      more,
    });
    return { status: 200, body: { enforced: namespaces.isEnforced, namespaces: list, total, cursor } };
  },
});

interface PutBody {
  readonly pattern: string;
  readonly owners: readonly string[];
}

/** `PUT /v1/namespaces` */
export const setNamespaceRoute = (namespaces: Namespaces): Route<undefined, undefined, PutBody> => ({
  method: 'PUT',
  path: PATH,
  summary: 'Sets the owners of an entity, or of all entities under a path',
  access: ADMIN,
  dimension: DIMENSION,
  body: objectRequiring<PutBody>(['pattern', 'owners'], {
    pattern: { type: 'string', minLength: 1, maxLength: MAX_PATTERN_LENGTH },
    owners: { type: 'array', minItems: 1, maxItems: MAX_OWNERS, items: { type: 'string' } },
  }),
  answers: { 200: { json: NAMESPACE_JSON } },
  example: {
    body: { pattern: 'svc://alpha.example.com/project/atlas/*', owners: ['agent:indexer', 'user:alice'] },
  },
  handle: async ({ caller, body }) => ({ status: 200, body: namespaceJson(await namespaces.set(caller, body)) }),
});

interface RemoveQuery {
  readonly pattern: string;
}

/** `DELETE /v1/namespaces?pattern=` */
export const removeNamespaceRoute = (namespaces: Namespaces): Route<undefined, RemoveQuery> => ({
  method: 'DELETE',
  path: PATH,
  summary: 'Lets every caller write again in a namespace',
  access: ADMIN,
  dimension: DIMENSION,
  query: objectRequiring<RemoveQuery>(['pattern'], {
    pattern: { type: 'string', minLength: 1, maxLength: MAX_PATTERN_LENGTH },
  }),
  answers: { 204: NO_BODY },
  example: { query: { pattern: 'svc://alpha.example.com/project/atlas/*' } },
  async handle({ caller, query }) {
    await namespaces.remove(caller, query.pattern);
    return { status: 204 };
  },
});
