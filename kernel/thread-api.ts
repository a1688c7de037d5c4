/**
 * All that code of a plugin imports which may run in a worker thread: words of facts alone, so that a thread loads no
 * schemas, hooks or store. Re-exports only.
 */

export { compareHlc, type Hlc, SCOPES, type Scope, type StoredFact, type TripleKey } from '../ports/fact.ts';
export type { Cover } from '../ports/fact-store.ts';
export { normaliseText } from '../ports/normalise-text.ts';
