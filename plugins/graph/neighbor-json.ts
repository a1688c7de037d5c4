import { SHARE_JSON } from '../../kernel/internal-api.ts';
import { COUNT_JSON, CURSOR_JSON, listOf, objectOf, orNull, STRING_JSON } from '../../kernel/plugin-api.ts';
import type { Neighbor } from './graph-api.ts';

const HOPS_JSON = { type: 'integer', minimum: 1, maximum: 2 };

/** A page of neighbours in an answer. */
export const NEIGHBORS_JSON = objectOf(
  {
    entity: STRING_JSON,
    entities: listOf(STRING_JSON),
    depth: HOPS_JSON,
    neighbors: listOf(
      objectOf({
        entity: STRING_JSON,
        relation: STRING_JSON,
        hops: HOPS_JSON,
        confidence: SHARE_JSON,
        source_trust: orNull(SHARE_JSON),
        path: listOf(STRING_JSON),
      }),
    ),
    next_cursor: CURSOR_JSON,
    total_hint: COUNT_JSON,
  },
  { optional: ['entities'] },
);

/** A neighbour as the route shows it. */
export const neighborJson = (neighbor: Neighbor): Record<string, unknown> => ({
  entity: neighbor.entity,
  relation: neighbor.relation,
  hops: neighbor.hops,
  confidence: neighbor.confidence,
  source_trust: neighbor.sourceTrust,
  path: neighbor.path,
});
