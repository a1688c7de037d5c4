import type { SearchView } from '../search-api.ts';
import { ASSERTER, ENTITY, RELATION, SESSION, SOURCE, SPEAKS_OF } from './document-table.ts';
import type { IndexState } from './index-state.ts';
import { type Hash64, KEY_KINDS } from './text-hash.ts';

/** Selects the documents with the keys and the time that a view names. */
export class NarrowedKeys {
  readonly #state: IndexState;
  readonly #afterMs: number;
  readonly #beforeMs: number;
  /**
   * For each filtered member, its offset in a row and the accepted hashes: a map from the half `hi` to the halves `lo`.
   */
  readonly #accepted: readonly (readonly [member: number, hashes: ReadonlyMap<number, readonly number[]>])[];

  private constructor(state: IndexState, view: SearchView) {
    this.#state = state;
    this.#afterMs = view.afterMs ?? Number.NEGATIVE_INFINITY;
    this.#beforeMs = view.beforeMs ?? Number.POSITIVE_INFINITY;
    this.#accepted = membersOf(view).flatMap(([member, kind, keys]) =>
      keys === undefined ? [] : [[member, hashesOf(keys, kind, state)] as const],
    );
  }

  /** Returns undefined for a view that names nothing. */
  static of(view: SearchView, state: IndexState): NarrowedKeys | undefined {
    const isTimed = view.afterMs !== undefined || view.beforeMs !== undefined;
    return isTimed || membersOf(view).some(([, , keys]) => keys !== undefined)
      ? new NarrowedKeys(state, view)
      : undefined;
  }

  accepts(document: number): boolean {
    const { documents } = this.#state;
    const speaksOfMs = documents.double(document, SPEAKS_OF);
    if (speaksOfMs <= this.#afterMs || speaksOfMs >= this.#beforeMs) return false;
    return this.#accepted.every(
      ([member, hashes]) =>
        hashes.get(documents.word(document, member))?.includes(documents.word(document, member + 1)) === true,
    );
  }
}

type NamedMember = readonly [member: number, kind: number, keys: readonly string[] | undefined];

const membersOf = ({ entityKeys, relationKeys, sourceKeys, sessionIds, assertedBy }: SearchView): NamedMember[] => [
  [ENTITY, KEY_KINDS.entity, entityKeys],
  [RELATION, KEY_KINDS.relation, relationKeys],
  [SOURCE, KEY_KINDS.source, sourceKeys],
  [SESSION, KEY_KINDS.session, sessionIds],
  [ASSERTER, KEY_KINDS.asserter, assertedBy === undefined ? undefined : [assertedBy]],
];

const hashesOf = (
  keys: readonly string[],
  kind: number,
  { hasher }: IndexState,
): ReadonlyMap<number, readonly number[]> => {
  const hashes = new Map<number, number[]>();
  const hash: Hash64 = { hi: 0, lo: 0 };
  for (const key of keys) {
    hasher.hash(key, kind, hash);
    const known = hashes.get(hash.hi);
    if (known === undefined) hashes.set(hash.hi, [hash.lo]);
    else known.push(hash.lo);
  }
  return hashes;
};
