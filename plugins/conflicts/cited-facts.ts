import { portions, type TripleKey } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  below,
  compareHlc,
  equals,
  type FactOutline,
  isIn,
  isNull,
  type PluginSnapshot,
} from '../../kernel/plugin-api.ts';

/**
 * The members of a fact that decide whether it resolves a contradiction. It does so by citing contradicting facts of
 * its own triple in `derived_from`.
 */
export interface CitingFact
  extends TripleKey,
    Pick<FactOutline, 'id' | 'derivedFrom' | 'replaces' | 'assertedBy' | 'hlc' | 'confidence' | 'system'> {}

/** An older fact of the same triple and garden that another fact cites. */
export type CitedFact = Pick<FactOutline, 'id' | 'cid' | 'valueKey' | 'feed'>;

export interface Citations {
  readonly named: readonly CitedFact[];
  /** The number of references that match no stored fact yet; a later fact may match them. */
  readonly open: number;
}

/**
 * Returns true for a certain assertion derived from at least two facts, unless it says by name which facts it ends.
 * Nearly all facts fail this cheap test.
 */
export const mayResolve = ({ system, confidence, derivedFrom, replaces }: CitingFact): boolean =>
  derivedFrom.length > 1 &&
  replaces.length === 0 &&
  !system &&
  confidence === 1 &&
  derivedFrom.some((hash) => hash !== derivedFrom[0]);

/** Returns true if the cited facts differ in value. Then the fact that cites them resolves their contradiction. */
export const resolves = (named: readonly CitedFact[]): boolean =>
  named.some(({ valueKey }) => valueKey !== named[0]?.valueKey);

/**
 * Returns the older facts of its own triple and garden that each fact cites, by the id of the citing fact. All facts
 * belong to one tenant.
 */
export const readCited = async (
  facts: readonly CitingFact[],
  store: Pick<PluginSnapshot, 'outline'>,
): Promise<Map<string, Citations>> => {
  const copies = await copiesOf(facts, store);
  const result = new Map<string, Citations>();
  for (const fact of facts) {
    result.set(fact.id, copies === undefined ? await readCrowded(fact, store) : citedAmong(fact, copies));
  }
  return result;
};

const HASHES = 1_000;
/**
 * The average number of facts read per reference. Nearly every content id belongs to one fact, but several may share
 * it.
 */
const COPIES = 4;
const SPARE_COPIES = 64;

/**
 * Returns the stored facts with the content ids that these facts cite. Returns undefined if there are too many to read
 * at once.
 */
const copiesOf = async (
  facts: readonly CitingFact[],
  store: Pick<PluginSnapshot, 'outline'>,
): Promise<Map<string, FactOutline[]> | undefined> => {
  const hashes = [...new Set(facts.flatMap(({ derivedFrom }) => derivedFrom))];
  const copies = new Map<string, FactOutline[]>();
  for (const some of portions(hashes, HASHES)) {
    const limit = some.length * COPIES + SPARE_COPIES;
    const ofTenant = equals('tenantId', facts[0]?.tenantId ?? '');
    const found = await store.outline(all(ofTenant, isIn('cid', some), above('confidence', 0)), limit);
    if (found.length === limit) return undefined;
    for (const fact of found) {
      const known = copies.get(fact.cid);
      if (known === undefined) copies.set(fact.cid, [fact]);
      else known.push(fact);
    }
  }
  return copies;
};

const citedAmong = (fact: CitingFact, copies: ReadonlyMap<string, readonly FactOutline[]>): Citations => {
  const named: CitedFact[] = [];
  let open = 0;
  for (const hash of new Set(fact.derivedFrom)) {
    const found = copies.get(hash) ?? [];
    const own = found.filter((other) => isCited(other, fact));
    named.push(...own);
    // Facts with one content id have the same entity, relation and scope.
    if (own.length === 0 && found.every((other) => isSameQuestion(other, fact))) open += 1;
  }
  return { named, open };
};

const isSameQuestion = (one: TripleKey, other: TripleKey): boolean =>
  one.entityKey === other.entityKey && one.relationKey === other.relationKey && one.scope === other.scope;

const isCited = (other: FactOutline, fact: CitingFact): boolean =>
  !other.system &&
  isSameQuestion(other, fact) &&
  other.gardenId === fact.gardenId &&
  compareHlc(other.hlc, fact.hlc) < 0;

/** The number of facts per read if very many share a content id. */
const PAGE = 64;

/**
 * Reads the facts that one fact cites in several reads, if there are too many for one. Each read completes at least one
 * content id.
 */
const readCrowded = async (fact: CitingFact, store: Pick<PluginSnapshot, 'outline'>): Promise<Citations> => {
  const { tenantId, entityKey, relationKey, scope, gardenId } = fact;
  const older = all(
    equals('tenantId', tenantId),
    equals('entityKey', entityKey),
    equals('relationKey', relationKey),
    equals('scope', scope),
    gardenId === null ? isNull('gardenId') : equals('gardenId', gardenId),
    equals('system', false),
    above('confidence', 0),
    below('hlc', fact.hlc),
  );
  const named: CitedFact[] = [];
  const pending = new Set(fact.derivedFrom);
  for (;;) {
    const found = await store.outline(all(older, isIn('cid', [...pending])), PAGE);
    named.push(...found);
    for (const { cid } of found) pending.delete(cid);
    if (found.length < PAGE || pending.size === 0 || resolves(named)) return { named, open: pending.size };
  }
};
