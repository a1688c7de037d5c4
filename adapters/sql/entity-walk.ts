/**
 * Returns the SQL of a walk from entity to entity along the index on triples. Each step seeks the next key, so the
 * number of facts of an entity costs nothing. Parameters: tenant, first key, tenant, number of steps, tenant, those of
 * the condition.
 */
export const entityWalkSql = (isFirstIncluded: boolean, condition: string): string => `WITH RECURSIVE
walk (entity_key, step) AS (
  SELECT (${nextKey(`${isFirstIncluded ? '>=' : '>'} ?`)}), 1
  UNION ALL
  SELECT (${nextKey('> w.entity_key')}), w.step + 1
  FROM walk w WHERE w.entity_key IS NOT NULL AND w.step < ?
)
SELECT w.entity_key, (${anyFact(condition)})
FROM walk w WHERE w.entity_key IS NOT NULL ORDER BY w.step`;

const nextKey = (beyond: string): string =>
  `SELECT n.entity_key FROM facts n WHERE n.tenant_id = ? AND n.entity_key ${beyond} ORDER BY n.entity_key LIMIT 1`;

/** A limit instead of EXISTS, for which PostgreSQL might read all facts of the tenant into a table of keys first. */
const anyFact = (condition: string): string =>
  `SELECT 1 FROM facts f WHERE f.tenant_id = ? AND f.entity_key = w.entity_key AND ${condition} LIMIT 1`;
