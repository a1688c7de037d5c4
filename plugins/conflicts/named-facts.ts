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
  type TripleKey,
} from '../../kernel/plugin-api.ts';

/** What says that a fact settles its own triple: it names facts of the triple by their content ids. */
export interface Naming extends TripleKey, Pick<FactOutline, 'id' | 'derivedFrom' | 'hlc' | 'confidence' | 'system'> {}

/** A fact that another one names, and that is older than it on the same triple in the same place. */
export type Named = Pick<FactOutline, 'id' | 'cid' | 'valueKey' | 'feed'>;

export interface NamedFacts {
  readonly named: readonly Named[];
  /** References that no stored fact rules out: a fact that is still to come may be the one that they name. */
  readonly open: number;
}

/** A fact that asserts something and was derived from at least two facts. Nearly no fact is looked at any further. */
export const mayResolve = ({ system, confidence, derivedFrom }: Naming): boolean =>
  derivedFrom.length > 1 && !system && confidence > 0 && derivedFrom.some((hash) => hash !== derivedFrom[0]);

/** Whether the named facts differ: then the fact that names them settles what they contradict each other about. */
export const resolves = (named: readonly Named[]): boolean =>
  named.some(({ valueKey }) => valueKey !== named[0]?.valueKey);

/** For each of these facts of one tenant, by id, the older facts of its own triple and place that it names. */
export const readNamed = async (
  facts: readonly Naming[],
  store: Pick<PluginSnapshot, 'outline'>,
): Promise<Map<string, NamedFacts>> => {
  const copies = await copiesOf(facts, store);
  const result = new Map<string, NamedFacts>();
  for (const fact of facts) {
    result.set(fact.id, copies === undefined ? await readCrowded(fact, store) : namedAmong(fact, copies));
  }
  return result;
};

/** References in one statement. */
const HASHES = 1_000;
/** Facts that are read for a reference on average. Several facts may have one content id, and nearly always one has. */
const COPIES = 4;
const SPARE_COPIES = 64;

/** What is stored under the content ids that the facts name; undefined where that is too much to be read. */
const copiesOf = async (
  facts: readonly Naming[],
  store: Pick<PluginSnapshot, 'outline'>,
): Promise<Map<string, FactOutline[]> | undefined> => {
  const hashes = [...new Set(facts.flatMap(({ derivedFrom }) => derivedFrom))];
  const copies = new Map<string, FactOutline[]>();
  for (let at = 0; at < hashes.length; at += HASHES) {
    const some = hashes.slice(at, at + HASHES);
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

const namedAmong = (fact: Naming, copies: ReadonlyMap<string, readonly FactOutline[]>): NamedFacts => {
  const named: Named[] = [];
  let open = 0;
  for (const hash of new Set(fact.derivedFrom)) {
    const found = copies.get(hash) ?? [];
    const own = found.filter((other) => isNamed(other, fact));
    named.push(...own);
    // Facts of one content id share their names and their scope.
    if (own.length === 0 && found.every((other) => isSameQuestion(other, fact))) open += 1;
  }
  return { named, open };
};

const isSameQuestion = (one: TripleKey, other: TripleKey): boolean =>
  one.entityKey === other.entityKey && one.relationKey === other.relationKey && one.scope === other.scope;

const isNamed = (other: FactOutline, fact: Naming): boolean =>
  !other.system &&
  isSameQuestion(other, fact) &&
  other.gardenId === fact.gardenId &&
  compareHlc(other.hlc, fact.hlc) < 0;

/** Facts that are read in one go where very many share a content id. */
const PAGE = 64;

/** The same for one fact, step by step: each step is done with one content id at least. */
const readCrowded = async (fact: Naming, store: Pick<PluginSnapshot, 'outline'>): Promise<NamedFacts> => {
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
  const named: Named[] = [];
  const pending = new Set(fact.derivedFrom);
  for (;;) {
    const found = await store.outline(all(older, isIn('cid', [...pending])), PAGE);
    named.push(...found);
    for (const { cid } of found) pending.delete(cid);
    if (found.length < PAGE || pending.size === 0 || resolves(named)) return { named, open: pending.size };
  }
};
