import type { Neighbor } from './graph-api.ts';

/** A neighbour as the route shows it (wire contract 8). */
export const neighborJson = (neighbor: Neighbor): Record<string, unknown> => ({
  entity: neighbor.entity,
  relation: neighbor.relation,
  hops: neighbor.hops,
  confidence: neighbor.confidence,
  source_trust: neighbor.sourceTrust,
  path: neighbor.path,
});
