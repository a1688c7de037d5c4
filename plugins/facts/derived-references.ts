import {
  all,
  equals,
  type FactReader,
  type Filter,
  isIn,
  isNull,
  SCOPES,
  type Scope,
  type StoredFact,
  sha256Hex,
} from '../../kernel/plugin-api.ts';

/** Where a fact is, or is going to be: a garden or outside all gardens, and a scope. */
export interface FactPlace {
  readonly scope: Scope;
  /** Garden identifier (UUID), null outside gardens. */
  readonly gardenId: string | null;
}

/**
 * How a fact at `to` names another fact whose id its writer knows. It is the content id where the writer can read the
 * other fact, and so can all readers of the reference, because the other fact is in the same place and in no narrower
 * scope. Otherwise it is a digest of the id, which leads nowhere: a short value could be guessed from its content id.
 * `fact` is undefined where the writer cannot read it.
 */
export const referenceTo = (factId: string, fact: (FactPlace & { cid: string }) | undefined, to: FactPlace): string =>
  fact !== undefined && fact.gardenId === to.gardenId && scopesFor(to.scope).includes(fact.scope)
    ? fact.cid
    : `sha256:${sha256Hex(factId)}`;

/**
 * The references of a fact that is copied to another place. Those that name a fact elsewhere, as far as the reader can
 * tell, lead nowhere in the copy; those that name no fact the reader can see are kept as they were given.
 */
export const referencesFor = async (
  to: FactPlace,
  references: readonly string[],
  reader: FactReader,
): Promise<readonly string[]> => {
  const there = all(
    isIn('scope', scopesFor(to.scope)),
    to.gardenId === null ? isNull('gardenId') : equals('gardenId', to.gardenId),
  );
  const kept = new Map<string, string>();
  for (const hash of new Set(references)) {
    const elsewhere = (await named(hash, there, reader)) === undefined ? await named(hash, all(), reader) : undefined;
    kept.set(hash, elsewhere === undefined ? hash : referenceTo(elsewhere.id, elsewhere, to));
  }
  return references.map((hash) => kept.get(hash) ?? hash);
};

const named = async (hash: string, where: Filter, reader: FactReader): Promise<StoredFact | undefined> =>
  (await reader.find(all(equals('cid', hash), where), { view: 'visible', order: 'hlc', limit: 1 }))[0];

/** A scope and all that are wider. */
const scopesFor = (scope: Scope): readonly Scope[] => SCOPES.slice(SCOPES.indexOf(scope));
