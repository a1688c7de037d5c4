import type { ContentSeal, Scope } from '../../ports/ports.ts';
import { DESTRUCTIONS_TABLE } from './fact-table.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { InsertTarget, SqlSession } from './sql-engine.ts';

/** A key that is to be destroyed, of a tenant that the context knows. */
export interface RecordedKey {
  readonly entityKey: string;
  readonly scope: Scope;
  readonly generation: number;
}

export const DESTRUCTIONS: InsertTarget = {
  table: DESTRUCTIONS_TABLE,
  columns: ['tenant_id', 'entity_key', 'scope', 'generation'],
  unlessTaken: ['tenant_id', 'entity_key', 'scope', 'generation'],
};

/** Returns each key once that seals one of these facts, as far as they are not erased yet. */
export const keysOf = async (
  ids: readonly string[],
  tenantId: string,
  seal: ContentSeal,
  session: SqlSession,
  dialect: SqlDialect,
): Promise<readonly RecordedKey[]> => {
  const sql = `SELECT f.entity_key, f.scope, substr(f.sealed, 1, ${seal.headerBytes}) FROM facts f
WHERE f.tenant_id = ? AND ${dialect.inList('f.id', 'text')} AND f.cid IS NOT NULL`;
  const keys = new Map<string, RecordedKey>();
  for (const [entityKey, scope, header] of await session.rows(sql, [tenantId, dialect.listParameter(ids)])) {
    const subject = { tenantId, entityKey: entityKey as string, scope: scope as Scope };
    const generation = generationOf(subject, header, seal);
    keys.set(`${generation} ${scope} ${entityKey}`, { entityKey: subject.entityKey, scope: subject.scope, generation });
  }
  return [...keys.values()];
};

/** Returns the present generation for a header that cannot be read, so that at least its key is destroyed. */
const generationOf = (
  subject: Parameters<ContentSeal['generationOf']>[0],
  header: unknown,
  seal: ContentSeal,
): number => {
  try {
    return seal.generationIn(header as Uint8Array);
  } catch {
    return seal.generationOf(subject);
  }
};
