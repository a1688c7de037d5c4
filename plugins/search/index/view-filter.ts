import type { PlacedTriple, SearchView } from '../search-api.ts';
import {
  BEGINS,
  CONFIDENCE,
  ENDED,
  ENTITY,
  EXPIRES,
  ORDINAL,
  PART,
  RELATION,
  TIMED,
  TIMED_AGAIN,
  TIMED_LATE,
} from './document-table.ts';
import { FAINT, type IndexPart, type PartStatistics } from './index-part.ts';
import type { IndexState } from './index-state.ts';
import { NarrowedKeys } from './narrowed-keys.ts';
import { type Hash64, KEY_KINDS, type TextHasher } from './text-hash.ts';

/**
 * Selects the documents of the opened parts that a search may find: those of the requested entity and relation that are
 * live for the caller, as `liveAmong` of the kernel defines it. A search of the past selects among the documents of
 * that moment, where a document that ended later is still live.
 */
export class ViewFilter {
  /** Parts that held a document at the requested moment. */
  readonly parts: readonly IndexPart[];
  readonly entity: Hash64 | undefined;
  /** Documents below this number existed at the requested moment. */
  readonly end: number;
  readonly #state: IndexState;
  readonly #view: SearchView;
  readonly #relation: Hash64 | undefined;
  readonly #excluded: readonly Hash64[];
  /** Undefined for a view without filters by keys or times. */
  readonly #narrowed: NarrowedKeys | undefined;
  /** Excluded triples, by the number of their part and by a 32-bit key of entity and relation. */
  readonly #contested: ReadonlyMap<number, ContestedTriples>;
  /** For a search of the past: the document and end counts of each part at that moment, by part number. */
  readonly #pasts = new Map<number, PartPast>();
  #withheldBits: Uint32Array | undefined;

  constructor(state: IndexState, view: SearchView) {
    this.#state = state;
    this.#view = view;
    const { count } = state.documents;
    this.end = view.asOf === undefined ? count : state.documents.countUpTo(view.asOf);
    const opened = state.catalog.open(view);
    this.parts = this.end === count ? opened : opened.filter((part) => this.countOf(part) > 0);
    this.entity = hashed(state.hasher, view.entityKey, KEY_KINDS.entity);
    this.#relation = hashed(state.hasher, view.relationKey, KEY_KINDS.relation);
    this.#excluded = (view.excludedRelationKeys ?? []).map(
      (relation) => hashed(state.hasher, relation, KEY_KINDS.relation) as Hash64,
    );
    this.#narrowed = NarrowedKeys.of(view, state);
    this.#contested = contestedIn(this.parts, view.contested ?? [], state.hasher);
  }

  get isPast(): boolean {
    return this.#view.asOf !== undefined;
  }

  /** Returns the number of documents that a part had at the moment. They are its first ones. */
  countOf(part: IndexPart): number {
    return this.end === this.#state.documents.count ? part.count : this.#pastOf(part).count;
  }

  statisticsOf(part: IndexPart): PartStatistics {
    return part.statisticsOf(this.countOf(part), this.#state.documents);
  }

  /** Returns a bit for each document of the moment, set for the withheld ones. */
  withheldBits(): Uint32Array {
    this.#withheldBits ??= this.#state.withheld.bits(this.end);
    return this.#withheldBits;
  }

  /** Yields documents of the requested entity in all parts: newest first, but in no order in a search of the past. */
  *ofEntity(): Generator<number> {
    const [part] = this.parts;
    if (part === undefined || this.entity === undefined) return;
    const { chains, catalog } = this.#state;
    const tenant = catalog.tenantNumber(part.tenantId);
    if (this.#view.asOf === undefined) yield* chains.ofEntity(tenant, this.entity);
    else for (const document of chains.everyOfEntity(tenant, this.entity)) if (document < this.end) yield document;
  }

  /** True if a document of an opened part may be found. */
  accepts(document: number): boolean {
    const { documents } = this.#state;
    if (document >= this.end || this.#state.withheld.has(document)) return false;
    if (this.#hasEnded(document) || !this.#isValid(document)) return false;
    if (documents.double(document, CONFIDENCE) < this.#view.minConfidence) return false;
    if (this.#relation !== undefined && !documents.has(document, RELATION, this.#relation)) return false;
    if (this.#excluded.some((relation) => documents.has(document, RELATION, relation))) return false;
    if (this.#narrowed?.accepts(document) === false) return false;
    if (this.#contested.size > 0 && this.#isContested(document)) return false;
    return this.entity === undefined || documents.has(document, ENTITY, this.entity);
  }

  /** Returns a bit for each ordinal of the part, set for those that may be found; undefined if all may. */
  bitsOf(part: IndexPart): Uint32Array | undefined {
    if (this.entity !== undefined) return this.#bitsOfEntity(part);
    const { minConfidence } = this.#view;
    const isDemanding = part.leastConfidence < minConfidence && minConfidence > FAINT;
    const isNarrow = this.#relation !== undefined || this.#excluded.length > 0 || this.#narrowed !== undefined;
    if (isNarrow || isDemanding) return this.#bitsOfEach(part);
    const isOut = (ordinal: number): boolean => !this.accepts(part.documents.at(ordinal));
    const ended = part.ended.numbers.view();
    const endedThen = this.#view.asOf === undefined ? ended.length : this.#pastOf(part).ended;
    const dropped: Uint32Array[] = [ended.subarray(0, endedThen), Uint32Array.from(part.withheld.keys())];
    // Documents that have ended since may have left the chains of their triples, so each of them is looked at.
    dropped.push(ended.subarray(endedThen).filter(isOut));
    dropped.push(part.bounded.view().filter((ordinal) => !this.#isValid(part.documents.at(ordinal))));
    if (part.leastConfidence < minConfidence) dropped.push(part.faint.view().filter(isOut));
    for (const triples of this.#contested.get(part.number)?.values() ?? []) {
      for (const triple of triples) dropped.push(this.#ordinalsOf(part, triple));
    }
    const count = this.countOf(part);
    if (count === part.count && dropped.every(({ length }) => length === 0)) return undefined;
    const bits = new Uint32Array((count + 31) >>> 5).fill(0xffffffff);
    if ((count & 31) > 0) bits[count >>> 5] = (1 << (count & 31)) - 1;
    for (const ordinals of dropped) {
      for (let at = 0; at < ordinals.length; at += 1) {
        const ordinal = ordinals[at] as number;
        if (ordinal < count) clearBit(bits, ordinal);
      }
    }
    return bits;
  }

  #hasEnded(document: number): boolean {
    const { documents, catalog } = this.#state;
    if (((documents.flags[document] as number) & ENDED) === 0) return false;
    if (this.#view.asOf === undefined) return true;
    const past = this.#pastOf(catalog.parts[documents.word(document, PART)] as IndexPart);
    const ordinal = documents.word(document, ORDINAL);
    past.endedBits ??= bitsFor(past.count, past.part.ended.numbers.view().subarray(0, past.ended));
    return (((past.endedBits[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1) === 1;
  }

  #isValid(document: number): boolean {
    return this.#state.documents.double(document, BEGINS) <= this.#view.nowMs && !this.#hasExpired(document);
  }

  #hasExpired(document: number): boolean {
    const { documents, lifetimes } = this.#state;
    const { asOf, nowMs } = this.#view;
    const isOver = documents.double(document, EXPIRES) <= nowMs;
    if (asOf === undefined) return isOver;
    const flags = documents.flags[document] as number;
    if ((flags & TIMED_AGAIN) === 0 && (!isOver || (flags & TIMED) === 0)) return isOver;
    // The time-to-live was set before the fact had expired, so it already applied at that time.
    if (isOver && (flags & TIMED_LATE) === 0 && nowMs <= asOf.wallMs) return true;
    return lifetimes.expiryAt(documents.tenantOf(document), documents.ids.idOf(document), asOf) <= nowMs;
  }

  #pastOf(part: IndexPart): PartPast {
    const known = this.#pasts.get(part.number);
    if (known !== undefined) return known;
    const { asOf } = this.#view;
    const ended = asOf === undefined ? part.ended.length : part.ended.countUpTo(asOf);
    const past = { part, count: part.countBelow(this.end), ended, endedBits: undefined };
    this.#pasts.set(part.number, past);
    return past;
  }

  #bitsOfEntity(part: IndexPart): Uint32Array {
    const { documents } = this.#state;
    const bits = new Uint32Array((part.count + 31) >>> 5);
    for (const document of this.ofEntity()) {
      if (documents.word(document, PART) !== part.number || !this.accepts(document)) continue;
      setBit(bits, documents.word(document, ORDINAL));
    }
    return bits;
  }

  #bitsOfEach(part: IndexPart): Uint32Array {
    const count = this.countOf(part);
    const bits = new Uint32Array((count + 31) >>> 5);
    for (let ordinal = 0; ordinal < count; ordinal += 1) {
      if (this.accepts(part.documents.at(ordinal))) setBit(bits, ordinal);
    }
    return bits;
  }

  #isContested(document: number): boolean {
    const { documents } = this.#state;
    const key = tripleKey(documents.word(document, ENTITY), documents.word(document, RELATION));
    const triples = this.#contested.get(documents.word(document, PART))?.get(key);
    return (
      triples?.some(
        ({ entity, relation }) =>
          documents.has(document, RELATION, relation) && documents.has(document, ENTITY, entity),
      ) ?? false
    );
  }

  #ordinalsOf(part: IndexPart, { entity, relation }: HashedTriple): Uint32Array {
    const { documents, chains } = this.#state;
    const ordinals: number[] = [];
    chains.visitTriple(part, entity, relation, (document) => ordinals.push(documents.word(document, ORDINAL)));
    return Uint32Array.from(ordinals);
  }
}

interface PartPast {
  readonly part: IndexPart;
  readonly count: number;
  /** The number of documents that had ended by the moment. They are the first ones in the list of ended documents. */
  readonly ended: number;
  /** Computed on first use. */
  endedBits: Uint32Array | undefined;
}

interface HashedTriple {
  readonly entity: Hash64;
  readonly relation: Hash64;
}

type ContestedTriples = Map<number, HashedTriple[]>;

/** Returns a key of a triple that is nearly unique, because one entity may have thousands of contested triples. */
const tripleKey = (entity: number, relation: number): number => (entity ^ Math.imul(relation, SPREAD)) >>> 0;
const SPREAD = 0x9e3779b1;

const contestedIn = (
  parts: readonly IndexPart[],
  triples: readonly PlacedTriple[],
  hasher: TextHasher,
): ReadonlyMap<number, ContestedTriples> => {
  const byPart = new Map<number, ContestedTriples>();
  const partAt = new Map(parts.map((part) => [placeKey(part), part]));
  for (const { scope, gardenId, entityKey, relationKey } of triples) {
    const part = partAt.get(placeKey({ scope, gardenId }));
    if (part === undefined) continue;
    const triple = {
      entity: hashed(hasher, entityKey, KEY_KINDS.entity) as Hash64,
      relation: hashed(hasher, relationKey, KEY_KINDS.relation) as Hash64,
    };
    const triplesOf: ContestedTriples = byPart.get(part.number) ?? new Map();
    byPart.set(part.number, triplesOf);
    const key = tripleKey(triple.entity.hi, triple.relation.hi);
    const known = triplesOf.get(key);
    if (known === undefined) triplesOf.set(key, [triple]);
    else known.push(triple);
  }
  return byPart;
};

const placeKey = ({ scope, gardenId }: Pick<PlacedTriple, 'scope' | 'gardenId'>): string => `${scope} ${gardenId}`;

const hashed = (hasher: TextHasher, text: string | undefined, kind: number): Hash64 | undefined => {
  if (text === undefined) return undefined;
  const hash: Hash64 = { hi: 0, lo: 0 };
  hasher.hash(text, kind, hash);
  return hash;
};

const bitsFor = (count: number, ordinals: Uint32Array): Uint32Array => {
  const bits = new Uint32Array((count + 31) >>> 5);
  for (let at = 0; at < ordinals.length; at += 1)
    if ((ordinals[at] as number) < count) setBit(bits, ordinals[at] as number);
  return bits;
};

const setBit = (bits: Uint32Array, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] as number) | (1 << (ordinal & 31));
};

const clearBit = (bits: Uint32Array, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] as number) & ~(1 << (ordinal & 31));
};
