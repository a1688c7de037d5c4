import type { PlacedTriple, SearchView } from '../search-api.ts';
import { CONFIDENCE, ENDED, ENTITY, EXPIRES, ORDINAL, PART, RELATION } from './document-table.ts';
import { FAINT, type IndexPart } from './index-part.ts';
import type { IndexState } from './index-state.ts';
import { type Hash64, KEY_KINDS, type TextHasher } from './text-hash.ts';

/**
 * Which documents of the opened parts a search may find: live ones for the caller, at that time, as the node judges it
 * everywhere (`liveAmong` in the kernel), and of the entity and relation that are asked for.
 */
export class ViewFilter {
  readonly parts: readonly IndexPart[];
  readonly entity: Hash64 | undefined;
  readonly #state: IndexState;
  readonly #view: SearchView;
  readonly #relation: Hash64 | undefined;
  /** Triples that are left out, by the number of their part. */
  readonly #contested: ReadonlyMap<number, readonly HashedTriple[]>;

  constructor(state: IndexState, view: SearchView) {
    this.#state = state;
    this.#view = view;
    this.parts = state.catalog.open(view);
    this.entity = hashed(state.hasher, view.entityKey, KEY_KINDS.entity);
    this.#relation = hashed(state.hasher, view.relationKey, KEY_KINDS.relation);
    this.#contested = contestedIn(this.parts, view.contested ?? [], state.hasher);
  }

  /** Whether a document of an opened part may be found. */
  accepts(document: number): boolean {
    const { documents } = this.#state;
    if (((documents.flags[document] as number) & ENDED) !== 0 || this.#state.withheld.has(document)) return false;
    if (documents.double(document, EXPIRES) <= this.#view.nowMs) return false;
    if (documents.double(document, CONFIDENCE) < this.#view.minConfidence) return false;
    if (this.#relation !== undefined && !documents.has(document, RELATION, this.#relation)) return false;
    if (this.#contested.size > 0 && this.#isContested(document)) return false;
    return this.entity === undefined || documents.has(document, ENTITY, this.entity);
  }

  /** A bit for each ordinal of the part, set for those that may be found; undefined when all may. */
  bitsOf(part: IndexPart): Uint32Array | undefined {
    if (this.entity !== undefined) return this.#bitsOfEntity(part, this.entity);
    const { minConfidence, nowMs } = this.#view;
    const isDemanding = part.leastConfidence < minConfidence && minConfidence > FAINT;
    if (this.#relation !== undefined || isDemanding) return this.#bitsOfEach(part);
    const dropped: Uint32Array[] = [part.ended.view(), Uint32Array.from(part.withheld)];
    const { documents } = this.#state;
    const isOut = (ordinal: number): boolean => !this.accepts(part.documents.at(ordinal));
    dropped.push(
      part.expiring.view().filter((ordinal) => documents.double(part.documents.at(ordinal), EXPIRES) <= nowMs),
    );
    if (part.leastConfidence < minConfidence) dropped.push(part.faint.view().filter(isOut));
    dropped.push(...(this.#contested.get(part.number) ?? []).map((triple) => this.#ordinalsOf(part, triple)));
    if (dropped.every(({ length }) => length === 0)) return undefined;
    const bits = new Uint32Array((part.count + 31) >>> 5).fill(0xffffffff);
    for (const ordinals of dropped) {
      for (let at = 0; at < ordinals.length; at += 1) clearBit(bits, ordinals[at] as number);
    }
    return bits;
  }

  #bitsOfEntity(part: IndexPart, entity: Hash64): Uint32Array {
    const { documents, chains, catalog } = this.#state;
    const bits = new Uint32Array((part.count + 31) >>> 5);
    for (const document of chains.ofEntity(catalog.tenantNumber(part.tenantId), entity)) {
      if (documents.word(document, PART) !== part.number || !this.accepts(document)) continue;
      setBit(bits, documents.word(document, ORDINAL));
    }
    return bits;
  }

  #bitsOfEach(part: IndexPart): Uint32Array {
    const bits = new Uint32Array((part.count + 31) >>> 5);
    for (let ordinal = 0; ordinal < part.count; ordinal += 1) {
      if (this.accepts(part.documents.at(ordinal))) setBit(bits, ordinal);
    }
    return bits;
  }

  #isContested(document: number): boolean {
    const { documents } = this.#state;
    const triples = this.#contested.get(documents.word(document, PART));
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

interface HashedTriple {
  readonly entity: Hash64;
  readonly relation: Hash64;
}

const contestedIn = (
  parts: readonly IndexPart[],
  triples: readonly PlacedTriple[],
  hasher: TextHasher,
): ReadonlyMap<number, readonly HashedTriple[]> => {
  const byPart = new Map<number, HashedTriple[]>();
  for (const { scope, gardenId, entityKey, relationKey } of triples) {
    const part = parts.find((one) => one.scope === scope && one.gardenId === gardenId);
    if (part === undefined) continue;
    const triple = {
      entity: hashed(hasher, entityKey, KEY_KINDS.entity) as Hash64,
      relation: hashed(hasher, relationKey, KEY_KINDS.relation) as Hash64,
    };
    const known = byPart.get(part.number);
    if (known === undefined) byPart.set(part.number, [triple]);
    else known.push(triple);
  }
  return byPart;
};

const hashed = (hasher: TextHasher, text: string | undefined, kind: number): Hash64 | undefined => {
  if (text === undefined) return undefined;
  const hash: Hash64 = { hi: 0, lo: 0 };
  hasher.hash(text, kind, hash);
  return hash;
};

const setBit = (bits: Uint32Array, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] as number) | (1 << (ordinal & 31));
};

const clearBit = (bits: Uint32Array, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] as number) & ~(1 << (ordinal & 31));
};
