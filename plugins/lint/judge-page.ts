import { openAmong, type TriplePosition } from '../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactOutline,
  type FactReader,
  type Filter,
  isIn,
  matchKey,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';

/** The properties of a fact that the checks use. */
export interface JudgedFact {
  readonly fact: FactOutline;
  /** True if neither a retraction nor a resolution has ended it. It may have expired. */
  readonly isAsserted: boolean;
  /** Expiry in milliseconds since the epoch. `NEVER` for most facts. */
  readonly untilMs: number;
  readonly isLive: boolean;
  /** True if it refers to an entity without live facts visible to the reader. */
  readonly isBroken: boolean;
}

export const NEVER = Number.MAX_SAFE_INTEGER;

/** A moment before every possible time of a fact, at which nothing has expired. */
const DAWN_MS = -8.64e15;

/** Prefix of the value key of a short `ref`, which contains the match key. A long key contains its digest. */
const SHORT_REF = 'r:';
const LONG_REF = 'r#';
/** Prefix of every value key of a sealed store, a digest that also hides the type. */
const SEALED_KEY = 'k:';
/** The bytes of a value beyond which it is not read. No name of an entity is as long. */
const MOST_REF_BYTES = 64 * 1024;

export interface PageQuery {
  /** Selects the facts to check among the visible ones. */
  readonly filter: Filter;
  readonly after: TriplePosition | undefined;
  readonly limit: number;
  /** True to check the targets of refs. */
  readonly followsRefs: boolean;
}

/** Reads a page of visible facts in the order of triples, with their state in the reader's snapshot. */
export const readPage = async (reader: FactReader, query: PageQuery, names: ServiceNames): Promise<JudgedFact[]> => {
  const { snapshot, nowMs } = reader;
  const { tenantId } = reader.caller;
  const visible = await reader.constraint('visible');
  const { after, limit } = query;
  const facts = await snapshot.outlineByTriple({ tenantId, filter: all(visible, query.filter), after, limit });
  if (facts.length === 0) return [];
  const ofPage = isIn(
    'id',
    facts.map(({ id }) => id),
  );
  const asserted = await snapshot.outline(all(ofPage, openAmong(visible, { nowMs: DAWN_MS })));
  const expiries = new Map((await snapshot.expiries(asserted)).map(({ factId, expiresMs }) => [factId, expiresMs]));
  const untilOf = ({ id, validUntilMs }: FactOutline): number =>
    Math.min(validUntilMs ?? NEVER, expiries.get(id) ?? NEVER);
  const assertedIds = new Set(asserted.map(({ id }) => id));
  const isLive = (fact: FactOutline): boolean =>
    assertedIds.has(fact.id) && (fact.validFromMs ?? nowMs) <= nowMs && untilOf(fact) > nowMs;
  const broken = query.followsRefs ? await brokenAmong(reader, facts.filter(isLive), names) : NOTHING;
  return facts.map((fact) => ({
    fact,
    isAsserted: assertedIds.has(fact.id),
    untilMs: untilOf(fact),
    isLive: isLive(fact),
    isBroken: broken.has(fact.id),
  }));
};

const NOTHING: ReadonlySet<string> = new Set();

/** Returns the ids of facts whose target has no live fact in any scope that the reader sees. */
const brokenAmong = async (
  reader: FactReader,
  facts: readonly FactOutline[],
  names: ServiceNames,
): Promise<ReadonlySet<string>> => {
  const targets = await targetsOf(reader, facts, names);
  if (targets.size === 0) return NOTHING;
  const { snapshot, caller } = reader;
  const found = await snapshot.entitiesWith(
    caller.tenantId,
    [...new Set(targets.values())],
    await reader.constraint('live'),
  );
  const alive = new Set(found);
  return new Set([...targets].flatMap(([id, target]) => (alive.has(target) ? [] : [id])));
};

/**
 * Returns the match keys of the targets of refs, by the id of the fact. Reads values only for long names, and in a
 * sealed store.
 */
const targetsOf = async (
  { snapshot, caller }: FactReader,
  facts: readonly FactOutline[],
  names: ServiceNames,
): Promise<Map<string, string>> => {
  const targets = new Map<string, string>();
  const unread: string[] = [];
  for (const { id, valueKey } of facts) {
    if (valueKey.startsWith(SHORT_REF)) targets.set(id, valueKey.slice(SHORT_REF.length));
    else if (valueKey.startsWith(LONG_REF) || valueKey.startsWith(SEALED_KEY)) unread.push(id);
  }
  if (unread.length === 0) return targets;
  const named = (ids: readonly string[]): Filter => all(equals('tenantId', caller.tenantId), isIn('id', ids));
  const short = (await snapshot.outline(named(unread))).filter(({ valueBytes }) => valueBytes <= MOST_REF_BYTES);
  const filter = named(short.map(({ id }) => id));
  for (const { id, value } of await snapshot.find({ filter, order: 'feed', limit: unread.length })) {
    if (value.type === 'ref') targets.set(id, matchKey(String(value.v), names));
  }
  return targets;
};
