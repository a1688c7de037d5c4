import type { Hlc, SchemaDialect } from '../../ports/ports.ts';
import type { SqlSession } from './sql-engine.ts';

/**
 * Data for reads as of an earlier moment. A cover is never undone, so its stamp is enough. A new expiry may replace
 * another one. The current one stays in its table and earlier ones move to a separate table, so that reads of the
 * present cost no more.
 */

const PAST_EXPIRIES = 'fact_past_expiries';

export const createPastExpiryTable = ({ textType: text, keyOrder }: SchemaDialect): readonly string[] => [
  `CREATE TABLE ${PAST_EXPIRIES} (
    tenant_id ${text} NOT NULL,
    fact_id ${text} NOT NULL,
    since_wall BIGINT NOT NULL,
    since_ctr INTEGER NOT NULL,
    until_wall BIGINT NOT NULL,
    until_ctr INTEGER NOT NULL,
    expires_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, fact_id, since_wall, since_ctr)
  )${keyOrder}`,
  `CREATE INDEX fact_past_expiries_by_end ON ${PAST_EXPIRIES} (tenant_id, until_wall, until_ctr)`,
];

export const PAST_FLOOR = 'SELECT floor_wall, floor_ctr FROM node_clock WHERE id = 1';

/** Parameters: the stamp, twice. */
export const RAISE_FLOOR = `UPDATE node_clock SET floor_wall = ?, floor_ctr = ?
WHERE id = 1 AND (floor_wall, floor_ctr) < (?, ?)`;

/** Parameters: tenant, floor, limit. */
export const DROP_PAST_EXPIRIES = `DELETE FROM ${PAST_EXPIRIES}
WHERE (tenant_id, fact_id, since_wall, since_ctr) IN (
  SELECT tenant_id, fact_id, since_wall, since_ctr FROM ${PAST_EXPIRIES}
  WHERE tenant_id = ? AND (until_wall, until_ctr) <= (?, ?) LIMIT ?)`;

interface NewExpiry {
  readonly factId: string;
  readonly expiresMs: number;
  readonly hlc: Hlc;
  readonly since: Hlc;
}

/** Sets an expiry. Nearly every fact has at most one, which takes one statement. */
export const setExpiry = async (
  session: Pick<SqlSession, 'run'>,
  tenantId: string,
  { factId, expiresMs, hlc, since }: NewExpiry,
): Promise<void> => {
  const [given, from] = [
    [expiresMs, hlc.wallMs, hlc.counter],
    [since.wallMs, since.counter],
  ];
  if ((await session.run(ADD_EXPIRY, [tenantId, factId, ...given, ...from])) === 1) return;
  const stamp = [hlc.wallMs, hlc.counter];
  const outranked = [tenantId, factId, ...stamp, ...stamp, expiresMs];
  await session.run(KEEP_EXPIRY, [...from, ...outranked, ...from]);
  await session.run(REPLACE_EXPIRY, [...given, ...from, ...outranked]);
};

const ADD_EXPIRY = `INSERT INTO fact_expiries
  (tenant_id, fact_id, expires_ms, hlc_wall, hlc_ctr, since_wall, since_ctr) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant_id, fact_id) DO NOTHING`;

/**
 * The condition that an expiry is older than the new one. Two authorities from different nodes may have equal stamps:
 * then the earlier end wins, in any order of arrival.
 */
const OUTRANKED = `tenant_id = ? AND fact_id = ? AND ((hlc_wall, hlc_ctr) < (?, ?)
  OR ((hlc_wall, hlc_ctr) = (?, ?) AND expires_ms > ?))`;

/**
 * Preserves a replaced expiry for reads of the past, unless it was never visible because both begin at the same stamp.
 */
const KEEP_EXPIRY = `INSERT INTO ${PAST_EXPIRIES}
  (tenant_id, fact_id, since_wall, since_ctr, until_wall, until_ctr, expires_ms)
SELECT tenant_id, fact_id, since_wall, since_ctr, CAST(? AS BIGINT), CAST(? AS INTEGER), expires_ms FROM fact_expiries
WHERE ${OUTRANKED} AND (since_wall, since_ctr) < (?, ?)
ON CONFLICT (tenant_id, fact_id, since_wall, since_ctr) DO NOTHING`;

const REPLACE_EXPIRY = `UPDATE fact_expiries
SET expires_ms = ?, hlc_wall = ?, hlc_ctr = ?, since_wall = ?, since_ctr = ? WHERE ${OUTRANKED}`;
