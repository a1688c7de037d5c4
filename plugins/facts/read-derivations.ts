import { memberRefusal } from '../../kernel/plugin-api.ts';

/** The maximum number of references that one assertion may hold. */
export const MAX_DERIVATIONS = 100;

/** A reference to a source fact: a content id, or a fact id that is not looked up yet. */
export type Derivation = { readonly hash: string } | { readonly factId: string };

/**
 * Reads `derived_from`: a list of `{fact_id?, hash?}`, `sha256:<64 hex>` or 64 hex digits. A hash takes precedence over
 * an id. Refuses any other form with 422.
 */
export const readDerivations = (input: unknown, path: string): readonly Derivation[] => {
  if (!Array.isArray(input)) throw memberRefusal(path, 'must be a list');
  if (input.length > MAX_DERIVATIONS) throw memberRefusal(path, `must not have more than ${MAX_DERIVATIONS} entries`);
  return input.map((entry, at) => readEntry(entry, `${path}[${at}]`));
};

const HASH = /^(?:sha256:)?([0-9a-f]{64})$/i;
const FACT_ID = /^[\x21-\x7e]{1,128}$/;
const FORMS = 'must be {fact_id, hash}, sha256:<64 hex digits> or 64 hex digits';

const readEntry = (entry: unknown, path: string): Derivation => {
  if (typeof entry === 'string') return { hash: readHash(entry, path) };
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw memberRefusal(path, FORMS);
  const member = (name: string): unknown =>
    Object.hasOwn(entry, name) ? ((entry as Readonly<Record<string, unknown>>)[name] ?? undefined) : undefined;
  const hash = member('hash');
  const factId = member('fact_id');
  if (hash === undefined && factId === undefined) throw memberRefusal(path, FORMS);
  if (factId !== undefined && !(typeof factId === 'string' && FACT_ID.test(factId))) {
    throw memberRefusal(`${path}.fact_id`, 'must be 1 to 128 visible ASCII characters');
  }
  if (hash === undefined) return { factId: factId as string };
  if (typeof hash !== 'string') throw memberRefusal(`${path}.hash`, FORMS);
  return { hash: readHash(hash, `${path}.hash`) };
};

const readHash = (text: string, path: string): string => {
  const digits = HASH.exec(text)?.[1];
  if (digits === undefined) throw memberRefusal(path, FORMS);
  return `sha256:${digits.toLowerCase()}`;
};
