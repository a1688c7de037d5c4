import { type CursorParts, objectSchema, type PageQuery } from '../../kernel/internal-api.ts';
import {
  bindCursor,
  COUNT_JSON,
  CURSOR_JSON,
  type CursorPosition,
  type Facts,
  listOf,
  objectOf,
  type Route,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { countKinds, type KindsPosition } from './count-kinds.ts';

const MAX_PAGE = 500;
/** The cost of a page, like that of a query for facts of many entities. */
const COST = 250;

export interface EntityKindsParts extends CursorParts {
  readonly facts: Facts;
}

const KINDS_JSON = objectOf({
  kinds: listOf(objectOf({ kind: STRING_JSON, entities: COUNT_JSON, is_more: { type: 'boolean' } })),
  cursor: CURSOR_JSON,
});

/** `GET /v1/entities/kinds` counts the entities that the caller may see by kind, a bounded number of them at once. */
export const entityKindsRoute = ({ facts, clock, cursors }: EntityKindsParts): Route<undefined, PageQuery> => ({
  method: 'GET',
  path: '/v1/entities/kinds',
  summary:
    'Count the entities of each kind that have facts the caller may see. A kind is the part of a name before its first colon',
  access: { permission: 'read' },
  dimension: 'fact_read',
  cost: () => COST,
  query: objectSchema<PageQuery>({
    cursor: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE, description: 'Kinds on a page.' },
  }),
  answers: { 200: { json: KINDS_JSON } },
  example: { query: { limit: 100 } },
  async handle(request) {
    const { caller, query } = request;
    const bound = bindCursor(request, query.cursor, {}, { clock, cursors });
    const after = bound.position && placeOf(bound.position);
    const page = await facts.read(caller, 'query', (reader) => countKinds(reader, { after, limit: query.limit }));
    const kinds = page.kinds.map(({ kind, entities, isMore }) => ({ kind, entities, is_more: isMore }));
    return { status: 200, body: { kinds, cursor: page.next && bound.after([page.next.key, page.next.bare]) } };
  },
});

const placeOf = ([key, bare]: CursorPosition): KindsPosition => ({ key: String(key), bare: Number(bare) });
