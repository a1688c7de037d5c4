import type { TripleKey } from '../../ports/ports.ts';

/**
 * One text per triple and place, to group and look facts up by. U+0000 occurs in none of its parts, so no two of them
 * share one.
 */
export const tripleId = ({ tenantId, entityKey, relationKey, scope, gardenId }: TripleKey): string =>
  `${tenantId}\u0000${entityKey}\u0000${relationKey}\u0000${scope}\u0000${gardenId ?? ''}`;
