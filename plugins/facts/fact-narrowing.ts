import { hasForbiddenCodePoint, keyBeginnings, readRelation } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  below,
  equals,
  type Filter,
  isIn,
  isNull,
  matchKey,
  memberRefusal,
  type Principal,
  parseInstant,
  readEntityUri,
  type ServiceNames,
  type StoredFact,
  startsWith,
} from '../../kernel/plugin-api.ts';
import { readSessionName } from './read-session.ts';

/** The members of a request that narrow the facts of its answer. A member that is left out narrows nothing. */
export interface FactNarrowing {
  /** Only facts whose `valid_from`, or timestamp without one, is later than this instant (RFC 3339). */
  readonly after?: string | undefined;
  /** Only facts whose `valid_from`, or timestamp without one, is earlier than this instant. */
  readonly before?: string | undefined;
  /** Names, or prefixes of names that end in a star. A fact must match at least one entry of each list. */
  readonly sources?: readonly string[] | undefined;
  /** Only facts asserted in one of these sessions: by the caller, or by anybody if the caller is an admin. */
  readonly sessions?: readonly string[] | undefined;
  readonly relations?: readonly string[] | undefined;
  readonly entities?: readonly string[] | undefined;
}

export const NARROWING_LISTS = ['sources', 'sessions', 'relations', 'entities'] as const;
export type NarrowingList = (typeof NARROWING_LISTS)[number];
export type NarrowingMember = 'after' | 'before' | NarrowingList;

/** Match keys of whole names, and prefixes of match keys. */
export interface NamePatterns {
  readonly exact: readonly string[];
  readonly prefixes: readonly string[];
}

/** A checked narrowing. */
export interface Narrowed extends Readonly<Partial<Record<NarrowingList, NamePatterns>>> {
  readonly afterMs?: number | undefined;
  readonly beforeMs?: number | undefined;
  /** The principal who asserted the facts; set with `sessions` for callers who are no admins. */
  readonly assertedBy?: string | undefined;
}

/** The maximum number of values in one list. */
export const MOST_VALUES = 100;
/** The match key of a long name holds only its beginning, so a longer prefix could never match. */
const MAX_PREFIX = 300;

/** An example of each member, for the hints of refusals. */
const EXAMPLES: Readonly<Record<NarrowingMember, string | readonly string[]>> = {
  after: '2026-01-01T00:00:00Z',
  before: '2026-02-01T00:00:00Z',
  sources: ['agent:me', 'tool:*'],
  sessions: ['monday', 'sprint-*'],
  relations: ['memory:role', 'project:*'],
  entities: ['user:alice', 'project:*'],
};

export interface NarrowingContext {
  readonly caller: Principal;
  readonly names: ServiceNames;
  /** The part of the request that refusals name: 422 in a body, 400 in a query. */
  readonly place: 'body' | 'query';
}

/** Checks a narrowing. Returns undefined for one without members. Throws a refusal that names the member. */
export const readNarrowing = (given: FactNarrowing, context: NarrowingContext): Narrowed | undefined => {
  const { caller } = context;
  const [afterMs, beforeMs] = [readInstant('after', given, context), readInstant('before', given, context)];
  if (afterMs !== undefined && beforeMs !== undefined && afterMs >= beforeMs) {
    throw refuse('before', 'must be later than after', ['after', 'before'], context);
  }
  const lists = NARROWING_LISTS.flatMap((list) => {
    const patterns = readPatterns(list, given[list], context);
    return patterns === undefined ? [] : [[list, patterns] as const];
  });
  if (lists.length === 0 && afterMs === undefined && beforeMs === undefined) return undefined;
  const isOwn = given.sessions !== undefined && !caller.permissions.has('admin');
  return {
    ...Object.fromEntries(lists),
    ...(afterMs !== undefined && { afterMs }),
    ...(beforeMs !== undefined && { beforeMs }),
    ...(isOwn && { assertedBy: caller.entityUri }),
  };
};

const refuse = (path: string, problem: string, members: readonly NarrowingMember[], context: NarrowingContext) =>
  memberRefusal(`${context.place}.${path}`, problem, context.place === 'query' ? 'bad_parameter' : 'validation', {
    status: context.place === 'query' ? 400 : 422,
    hint: exampleOf(members, context),
  });

/** Returns a hint that shows the members as the request spells them. */
const exampleOf = (members: readonly NarrowingMember[], { place }: Pick<NarrowingContext, 'place'>): string => {
  if (place === 'body') {
    return `send for example ${JSON.stringify(Object.fromEntries(members.map((member) => [member, EXAMPLES[member]])))}`;
  }
  const pairs = members.flatMap((member) => [EXAMPLES[member]].flat().map((value) => `${member}=${value}`));
  return `send for example ?${pairs.join('&')}`;
};

const readInstant = (
  member: 'after' | 'before',
  given: FactNarrowing,
  context: NarrowingContext,
): number | undefined => {
  const text = given[member];
  if (text === undefined) return undefined;
  const instantMs = parseInstant(text);
  if (instantMs !== null) return instantMs;
  throw refuse(member, 'must be an RFC 3339 date-time with an offset', [member], context);
};

const readPatterns = (
  list: NarrowingList,
  values: readonly string[] | undefined,
  context: NarrowingContext,
): NamePatterns | undefined => {
  if (values === undefined) return undefined;
  if (values.length === 0) throw refuse(list, 'must not be empty: leave it out, or name one', [list], context);
  if (values.length > MOST_VALUES) {
    throw refuse(list, `must not have more than ${MOST_VALUES} values: use a beginning and a star`, [list], context);
  }
  const exact = new Set<string>();
  const prefixes = new Set<string>();
  for (const [at, value] of values.entries()) {
    const member = `${list}[${at}]`;
    if (!value.endsWith('*')) exact.add(readKey(list, value, member, context));
    else for (const key of readBeginnings(list, value.slice(0, -1), member, context)) prefixes.add(key);
  }
  return { exact: [...exact], prefixes: [...prefixes] };
};

const readKey = (list: NarrowingList, text: string, member: string, context: NarrowingContext): string => {
  if (text.trim() === '') throw refuse(member, 'must be a name', [list], context);
  const name = readName(list, text, member, context);
  return list === 'sessions' ? name : matchKey(name, context.names);
};

const readBeginnings = (
  list: NarrowingList,
  text: string,
  member: string,
  context: NarrowingContext,
): readonly string[] => {
  if (text.trim() === '') throw refuse(member, 'must be a name before the star', [list], context);
  readName(list, text, member, context);
  // White space before the star is a part of the names.
  const keys = list === 'sessions' ? [text.trimStart()] : keyBeginnings(text, context.names);
  if (keys.every(({ length }) => length <= MAX_PREFIX)) return keys;
  throw refuse(member, `must not be longer than ${MAX_PREFIX} characters before the star`, [list], context);
};

/** Returns a checked name, without white space at its ends. */
const readName = (list: NarrowingList, text: string, member: string, context: NarrowingContext): string => {
  const path = `${context.place}.${member}`;
  if (list === 'relations') return readRelation(text, path);
  if (list !== 'sessions') return readEntityUri(text, path);
  if (hasForbiddenCodePoint(text)) {
    throw memberRefusal(path, 'must be well-formed text without U+0000', 'bad_parameter', {
      hint: exampleOf(['sessions'], context),
    });
  }
  return readSessionName(text, path) ?? '';
};

/** The field of a fact that each list is compared with. */
export const LISTED_FIELDS = {
  sources: 'sourceKey',
  sessions: 'sessionId',
  relations: 'relationKey',
  entities: 'entityKey',
} as const satisfies Record<NarrowingList, keyof StoredFact>;

/** Returns a narrowing as a filter of the store. */
export const narrowingFilter = (narrowed: Narrowed): Filter => {
  const { afterMs, beforeMs, assertedBy } = narrowed;
  const conditions = NARROWING_LISTS.flatMap((list) => {
    const patterns = narrowed[list];
    if (patterns === undefined) return [];
    const field = LISTED_FIELDS[list];
    const begins = patterns.prefixes.map((prefix) => startsWith(field, prefix));
    return [begins.length === 0 ? isIn(field, patterns.exact) : any(isIn(field, patterns.exact), ...begins)];
  });
  if (afterMs !== undefined) {
    conditions.push(any(above('validFromMs', afterMs), all(isNull('validFromMs'), above('timestampMs', afterMs))));
  }
  if (beforeMs !== undefined) {
    conditions.push(any(below('validFromMs', beforeMs), all(isNull('validFromMs'), below('timestampMs', beforeMs))));
  }
  if (assertedBy !== undefined) conditions.push(equals('assertedBy', assertedBy));
  return all(...conditions);
};

/** Returns the first member of a narrowing that a fact does not fit; undefined for a fact that fits. */
export const unfitFor = (fact: NarrowableFact, narrowed: Narrowed): NarrowingMember | undefined => {
  const { afterMs, beforeMs, assertedBy } = narrowed;
  const ofMs = fact.validFromMs ?? fact.timestampMs;
  if (afterMs !== undefined && ofMs <= afterMs) return 'after';
  if (beforeMs !== undefined && ofMs >= beforeMs) return 'before';
  if (assertedBy !== undefined && fact.assertedBy !== assertedBy) return 'sessions';
  return NARROWING_LISTS.find((list) => {
    const patterns = narrowed[list];
    return patterns !== undefined && !fits(fact[LISTED_FIELDS[list]], patterns);
  });
};

type NarrowableFact = Pick<
  StoredFact,
  'validFromMs' | 'timestampMs' | 'assertedBy' | (typeof LISTED_FIELDS)[NarrowingList]
>;

const fits = (key: string | null, { exact, prefixes }: NamePatterns): boolean =>
  key !== null && (exact.includes(key) || prefixes.some((prefix) => key.startsWith(prefix)));
