import {
  type CursorParts,
  FACT_PART,
  FIELDS_TEXT,
  LIST_BYTES,
  objectRequiring,
  type PageQuery,
  pageMembers,
  valueBytesOf,
} from '../../../kernel/internal-api.ts';
import {
  AsOf,
  all,
  bindCursor,
  CURSOR_JSON,
  compareHlc,
  component,
  FACT,
  type FactFields,
  type FactJson,
  type FactReader,
  type Facts,
  type FactView,
  type Filter,
  type JsonSchema,
  listOf,
  memberRefusal,
  not,
  noted,
  objectOf,
  type Route,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { IntactFacts } from '../../facts/facts-api.ts';
import { readAsOf } from '../read-moments.ts';
import { AS_OF_FUTURE } from '../time-travel-words.ts';
import type { FactPosition } from './tally-days.ts';

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
/** The cost of a comparison, which tests all facts of the caller as a count does. */
const COST = 250;

type Change = 'began' | 'ended';

interface ChangesQuery extends PageQuery {
  readonly since: string;
  readonly until?: string;
  readonly change: Change;
  readonly fields?: string;
}

export interface ChangesParts extends CursorParts {
  readonly facts: Facts;
  readonly factJson: FactJson;
  readonly fields: FactFields;
  readonly intact: IntactFacts | undefined;
}

const changesJson = (fact: JsonSchema): JsonSchema => objectOf({ facts: listOf(fact), cursor: CURSOR_JSON });

/** `GET /v1/changes`: the facts that were live at one of two moments and not at the other, newest first. */
export const changesRoute = (parts: ChangesParts): Route<undefined, ChangesQuery> => ({
  method: 'GET',
  path: '/v1/changes',
  summary: 'The facts that began or ended to be live between two moments, newest first',
  access: { permission: 'read' },
  dimension: 'fact_read',
  cost: () => COST,
  query: objectRequiring<ChangesQuery>(['since'], {
    since: {
      type: 'string',
      description: 'The earlier moment: an instant such as `2026-01-01T00:00:00Z`, or an hlc.',
    },
    until: { type: 'string', description: 'The later moment; now by default.' },
    change: {
      type: 'string',
      enum: ['began', 'ended'],
      default: 'began',
      description: '`began`: live at the later moment alone. `ended`: live at the earlier moment alone.',
    },
    fields: FIELDS_TEXT,
    ...pageMembers(DEFAULT_PAGE, MAX_PAGE),
  }),
  answers: { 200: { json: changesJson(component(FACT)), part: changesJson(component(FACT_PART)) } },
  example: { query: { since: '2026-01-01T00:00:00Z', change: 'ended', limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const { since, until, change, limit } = query;
    const moments = readMoments(query);
    const toJson = parts.fields.read(query.fields, 'query') ?? parts.factJson;
    const bound = bindCursor(request, query.cursor, { since, until, change }, parts);
    const after = bound.position && { timestampMs: Number(bound.position[0]), id: String(bound.position[1]) };
    // Each moment has a reader of its own, which checks it. Rights of both are those of today.
    const earlier = await parts.facts
      .read(caller, 'query', (reader) => reader.constraint('live'), noted(AsOf, moments.since))
      .catch((error: unknown) => refuseAs('since', error));
    const page = await parts.facts
      .read(
        caller,
        'query',
        (reader) => readChanges(reader, { earlier, change, after, limit }),
        moments.until && noted(AsOf, moments.until),
      )
      .catch((error: unknown) => refuseAs('until', error));
    const facts = (await parts.intact?.keepIntact(page.facts, caller)) ?? page.facts;
    const { list, cursor } = await bound.page(facts, limit, { positionOf, toJson, more: page.follows });
    return { status: 200, body: { facts: list, cursor } };
  },
});

/** Refuses moments that are not in order, because an exchanged pair would show each change as its opposite. */
const readMoments = ({ since, until }: ChangesQuery) => {
  const from = readAsOf(since, 'query.since');
  const to = until === undefined ? undefined : readAsOf(until, 'query.until');
  if (to !== undefined && compareHlc(to, from) <= 0) {
    throw memberRefusal('query.until', 'must be later than since: exchange them', 'bad_parameter');
  }
  return { since: from, until: to };
};

/** Names the parameter of this route in a refusal of a future moment, which most routes call `as_of`. */
const refuseAs = (name: 'since' | 'until', error: unknown): never => {
  if (!(error instanceof ServiceError) || error.code !== AS_OF_FUTURE.id) throw error;
  const advice = name === 'since' ? 'name an earlier moment' : 'leave it out for now';
  throw new ServiceError(AS_OF_FUTURE, `${name} is later than now: ${advice}`);
};

interface Comparison {
  /** The facts that were live at the earlier moment. */
  readonly earlier: Filter;
  readonly change: Change;
  readonly after: FactPosition | undefined;
  readonly limit: number;
}

const readChanges = async (reader: FactReader, { earlier, change, after, limit }: Comparison) => {
  const visible = await reader.constraint('visible');
  const later = await reader.constraint('live');
  const found = await reader.snapshot.find({
    // Adds the rights of this read, so that a right that ends between the two reads counts for both.
    filter: change === 'began' ? all(later, not(earlier)) : all(visible, earlier, not(later)),
    order: 'timestamp',
    limit: limit + 1,
    maxBytes: LIST_BYTES,
    ...(after === undefined ? {} : { after }),
  });
  const follows = found.length > limit || valueBytesOf(found) >= LIST_BYTES;
  return { facts: await reader.annotate(found.slice(0, limit)), follows };
};

const positionOf = ({ fact }: FactView): [number, string] => [fact.timestampMs, fact.id];
