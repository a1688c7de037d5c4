import type { TripleKey } from '../../ports/ports.ts';

/**
 * Returns a text that identifies a triple and place, for grouping and look-ups. The separator U+0000 occurs in none of
 * the parts, so that different triples have different ids.
 */
export const tripleId = ({ tenantId, entityKey, relationKey, scope, gardenId }: TripleKey): string =>
  `${tenantId}\u0000${entityKey}\u0000${relationKey}\u0000${scope}\u0000${gardenId ?? ''}`;
