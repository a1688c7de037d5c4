import { idAtOriginSql, placeSql } from './fact-field-columns.ts';
import { OUTLINE_COLUMNS } from './fact-row.ts';
import { LIMIT } from './limit.ts';

const OUTLINE = OUTLINE_COLUMNS.map((column) => `f.${column}`).join(', ');

/** Selects the covers of this kind that end the fact `f`. The index finds one in a single step. */
const coversWith = (speaker: string): string => `SELECT 1 FROM fact_covers c WHERE ${NEWER_COVER} AND ${speaker}`;

const NEWER_COVER = `c.tenant_id = f.tenant_id AND c.entity_key = f.entity_key AND c.relation_key = f.relation_key
      AND c.scope = f.scope AND c.place = ${placeSql('f.garden_id')}
      AND (c.hlc_wall, c.hlc_ctr) > (f.hlc_wall, f.hlc_ctr)`;

/** Selects the covers that end the fact `f` by its name. */
const NAMED_COVERS = `SELECT 1 FROM fact_named_covers c WHERE ${NEWER_COVER}
      AND c.named_id = ${idAtOriginSql('f')}
      AND ((f.origin_node_id IS NULL AND c.is_own = 1) OR c.named_origin = f.origin_node_id)
      AND (c.speaker = '' OR c.speaker = f.speaker)`;

/**
 * Selects the facts of a triple that are live or have yet to begin. Parameters: tenant, entity key, relation key,
 * scope, place, now, now, limit. The order equals that of the index, so that the engine need not sort.
 */
export const SIBLINGS = `SELECT ${OUTLINE} FROM facts f
WHERE f.tenant_id = ? AND f.entity_key = ? AND f.relation_key = ? AND f.scope = ? AND ${placeSql('f.garden_id')} = ?
  AND f.confidence > 0
  AND (f.valid_until_ms IS NULL OR f.valid_until_ms > ?)
  AND NOT EXISTS (
    SELECT 1 FROM fact_expiries e WHERE e.tenant_id = f.tenant_id AND e.fact_id = f.id AND e.expires_ms <= ?)
  AND NOT EXISTS (${coversWith("c.speaker = ''")})
  AND (f.speaker IS NULL OR NOT EXISTS (${coversWith('c.speaker = f.speaker')}))
  AND NOT EXISTS (${NAMED_COVERS})
ORDER BY f.confidence DESC, f.hlc_wall DESC, f.hlc_ctr DESC
${LIMIT}`;
