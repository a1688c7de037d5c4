import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError, type StructureCheck, type StructureProgress } from '../../ports/ports.ts';
import type { SqlSession } from '../sql/sql-engine.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/**
 * Compares each table with its indexes. The engine reports no progress within a table, so this goes table by table.
 * It thus skips the list of free pages, which holds no row.
 */
export const checkStructure = async (session: SqlSession, onProgress: StructureProgress): Promise<StructureCheck> => {
  const names = (await session.rows(sqliteDialect.queries.tableNames, [])).map(([name]) => String(name));
  const faults: string[] = [];
  for (const [at, name] of names.entries()) {
    faults.push(...(await faultsOf(session, name)));
    onProgress(at + 1, names.length);
    // The check of a table blocks the thread, so progress can show only between two tables.
    await turn();
  }
  return { method: 'integrity_check of SQLite, tables against indexes', faults };
};

const faultsOf = async (session: SqlSession, table: string): Promise<readonly string[]> => {
  try {
    const rows = await session.rows(`PRAGMA integrity_check(${identifier(table)})`, []);
    return rows.map(([line]) => `${table}: ${line}`).filter((line) => line !== `${table}: ok`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [`${table}: ${error.message}`];
  }
};
