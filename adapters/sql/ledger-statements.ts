import { FEED_ENTRIES_TABLE, LEDGERS_TABLE } from './fact-table.ts';
import { HEAD_COLUMNS } from './ledger-row.ts';
import { LIMIT } from './limit.ts';
import { REMOVED_TENANTS_TABLE } from './remove-tenant.ts';

/**
 * Statements over the ends of ledgers and over the feed. The feed of the store consists of its tenants' facts and
 * announced entries. The end of a ledger shows whether its tenant has new entries.
 */

export const TENANTS = `SELECT tenant_id FROM ${LEDGERS_TABLE}`;

export const LEDGER_ENDS = `SELECT tenant_id, number FROM ${LEDGERS_TABLE}
WHERE tenant_id NOT IN (SELECT id FROM ${REMOVED_TENANTS_TABLE})`;

/** Parameters: wall, counter. */
export const TENANTS_WITH_NEWS = `${TENANTS} WHERE (feed_wall, feed_ctr) > (?, ?)`;

/** Parameters: tenant, wall, counter, limit; the same again; limit. */
export const FEED_AFTER = `SELECT * FROM (
SELECT * FROM (SELECT f.feed_wall, f.feed_ctr, f.id, f.tenant_id, 'fact' AS kind FROM facts f
WHERE f.tenant_id = ? AND (f.feed_wall, f.feed_ctr) > (?, ?) ORDER BY f.feed_wall, f.feed_ctr ${LIMIT}) of_facts
UNION ALL
SELECT * FROM (SELECT e.feed_wall, e.feed_ctr, e.subject_id, e.tenant_id, e.kind FROM ${FEED_ENTRIES_TABLE} e
WHERE e.tenant_id = ? AND (e.feed_wall, e.feed_ctr) > (?, ?) ORDER BY e.feed_wall, e.feed_ctr ${LIMIT}) announced
) entries ORDER BY feed_wall, feed_ctr ${LIMIT}`;

/** Parameters: tenant, kind, wall, counter, wall, counter, limit. */
export const ANNOUNCED = `SELECT e.feed_wall, e.feed_ctr, e.subject_id, e.tenant_id, e.kind FROM ${FEED_ENTRIES_TABLE} e
WHERE e.tenant_id = ? AND e.kind = ? AND (e.feed_wall, e.feed_ctr) > (?, ?) AND (e.feed_wall, e.feed_ctr) <= (?, ?)
ORDER BY e.feed_wall, e.feed_ctr ${LIMIT}`;

export const FEED_HEAD = `SELECT feed_wall, feed_ctr FROM ${LEDGERS_TABLE} WHERE feed_wall IS NOT NULL
ORDER BY feed_wall DESC, feed_ctr DESC LIMIT 1`;

/** Parameter: tenant. */
export const LEDGER_HEAD = `SELECT ${HEAD_COLUMNS.join(', ')} FROM ${LEDGERS_TABLE} WHERE tenant_id = ?`;

/** Parameters: tenant, wall, counter. */
export const NUMBER_AT = `SELECT f.number FROM facts f WHERE f.tenant_id = ? AND (f.feed_wall, f.feed_ctr) >= (?, ?)
ORDER BY f.feed_wall, f.feed_ctr LIMIT 1`;

/** Selects the clock together with the end of one tenant's ledger. Parameter: tenant. */
export const CLOCK_AND_HEAD = `SELECT c.wall, c.ctr, ${HEAD_COLUMNS.map((column) => `l.${column}`).join(', ')}
FROM node_clock c LEFT JOIN ${LEDGERS_TABLE} l ON l.tenant_id = ? WHERE c.id = 1`;

/** Parameters: tenant, then the columns of the head. */
export const SAVE_HEAD = `INSERT INTO ${LEDGERS_TABLE} (tenant_id, ${HEAD_COLUMNS.join(', ')})
VALUES (?${', ?'.repeat(HEAD_COLUMNS.length)}) ON CONFLICT (tenant_id) DO UPDATE
SET ${HEAD_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/** Parameters: place in the chain, hash, tenant, number. */
export const ADD_LINK = 'UPDATE facts SET link_seq = ?, link_hash = ? WHERE tenant_id = ? AND number = ?';

/** Parameters: tenant, number, limit. */
export const REFERENCES = `SELECT f.number, f.id, f.derived_from FROM facts f
WHERE f.tenant_id = ? AND f.number > ? AND f.derived_from IS NOT NULL ORDER BY f.number ${LIMIT}`;

/** Parameters: references, tenant, id. */
export const REDACT = 'UPDATE facts SET derived_from = ? WHERE tenant_id = ? AND id = ?';

/** Parameters: commitment, tenant, id. */
export const ERASE = `UPDATE facts SET value_v = NULL, sealed = NULL, value_key = '', cid = NULL, salt = NULL, commitment = ?
WHERE tenant_id = ? AND id = ? AND commitment IS NULL`;
