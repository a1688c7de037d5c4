import type { FactReader } from '../../kernel/plugin-api.ts';

/** The number of entities of one kind after which counting ends. */
export const MAX_OF_KIND = 1_000;
/** The number of entities after which a page ends with the kind that it is in. */
const MAX_OF_PAGE = 2_000;
/** The number of entities that one statement looks at: some milliseconds of work. */
const STEPS = 512;

export interface KindCount {
  /** The part of the match keys before the first colon; empty for names without a colon. */
  readonly kind: string;
  readonly entities: number;
  /** True if there are more entities of the kind than the count says. */
  readonly isMore: boolean;
}

/** The place where a page begins. */
export interface KindsPosition {
  /** The last visible entity of the page before. */
  readonly key: string;
  /** The entities without a kind so far. They lie between the others, so the last page has their count. */
  readonly bare: number;
}

export interface KindsPage {
  readonly kinds: readonly KindCount[];
  readonly next: KindsPosition | null;
}

/**
 * Counts the entities that have facts in the default view of the reader, by kind and in the order of kinds. Entities
 * that the reader may not see change neither the counts nor the ends of pages.
 */
export const countKinds = async (
  reader: FactReader,
  { after, limit }: { readonly after: KindsPosition | undefined; readonly limit: number },
): Promise<KindsPage> => {
  const tally = new KindTally(after, limit);
  const { snapshot, caller } = reader;
  const filter = await reader.constraint('current');
  let from = after === undefined ? { after: '' } : behind(after.key);
  for (;;) {
    const { keys, last } = await snapshot.entities({ tenantId: caller.tenantId, filter, from, limit: STEPS });
    for (const key of keys) if (!tally.take(key)) return tally.page(false);
    if (last === null) return tally.page(true);
    from = tally.isFull(last) ? behind(last) : { after: last };
  }
};

class KindTally {
  readonly #limit: number;
  readonly #kinds: { kind: string; entities: number; isMore: boolean }[] = [];
  #bare: number;
  #counted = 0;
  #last = '';

  constructor(after: KindsPosition | undefined, limit: number) {
    this.#bare = after?.bare ?? 0;
    this.#limit = limit;
  }

  /** Counts a visible entity. Returns false if the page ends before it. */
  take(key: string): boolean {
    const kind = kindOf(key);
    const current = this.#kinds.at(-1);
    const isSame = kind !== '' && current?.kind === kind;
    if (!isSame && (this.#counted >= MAX_OF_PAGE || this.#kinds.length >= this.#limit)) return false;
    this.#last = key;
    if (isSame && current.isMore) return true;
    this.#counted += 1;
    if (kind === '') this.#bare = Math.min(this.#bare + 1, MAX_OF_KIND + 1);
    else if (!isSame) this.#kinds.push({ kind, entities: 1, isMore: false });
    else if (current.entities === MAX_OF_KIND) current.isMore = true;
    else current.entities += 1;
    return true;
  }

  /** Returns whether the kind of this entity needs no further counting. */
  isFull(key: string): boolean {
    const current = this.#kinds.at(-1);
    return current?.isMore === true && current.kind === kindOf(key);
  }

  page(isLast: boolean): KindsPage {
    if (!isLast) return { kinds: this.#kinds, next: { key: this.#last, bare: this.#bare } };
    const entities = Math.min(this.#bare, MAX_OF_KIND);
    const bare = { kind: '', entities, isMore: this.#bare > MAX_OF_KIND };
    return { kinds: entities === 0 ? this.#kinds : [...this.#kinds, bare], next: null };
  }
}

const kindOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf(':')));

/** Returns the place behind the kind of an entity, or behind an entity without a kind. */
const behind = (key: string): { readonly after: string } | { readonly beyond: string } => {
  const kind = kindOf(key);
  return kind !== '' ? { beyond: `${kind}:` } : { after: key };
};
