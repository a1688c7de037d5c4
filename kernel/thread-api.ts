/**
 * The exports for plugin code that may run in a worker thread. They contain only words of facts, so that a thread loads
 * no schemas, hooks or store. Re-exports only.
 */

export type { Cover, NamedFact } from '../ports/cover.ts';
export { compareHlc, type Hlc, SCOPES, type Scope, type StoredFact, type TripleKey } from '../ports/fact.ts';
export { normaliseText } from '../ports/normalise-text.ts';
