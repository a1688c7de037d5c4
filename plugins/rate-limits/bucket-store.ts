import type { PluginTables, Row, SqlValue, WritableTables } from '../../kernel/plugin-api.ts';
import { BUCKETS_TABLE } from './rate-limits-migrations.ts';
import { type Bucket, refilled, shareOf, spentOf } from './token-bucket.ts';

/** The name of the one lock of all buckets. With the lock of a tenant, requests would wait while facts are written. */
const LOCK = 'rate limits';
const MINUTE_MS = 60_000;
/**
 * The age after which a bucket is deleted. After one minute it is full, and then equals a missing one; the second
 * minute allows for clock differences.
 */
const FORGOTTEN_MS = 2 * MINUTE_MS;
/** The number of rows per deletion, so that no statement blocks the store for long. */
const SWEEP_ROWS = 1_000;
const SWEEP_STEPS = 100;

/** A process's request for tokens of a bucket. */
export interface Claim {
  readonly tenantId: string;
  readonly bucket: string;
  readonly perMinute: number;
  /** The number of tokens that each pending request needs, in the order of arrival. */
  readonly wants: readonly number[];
  /** The unspent tokens of the share that the process took before. */
  readonly held: number;
}

export interface Grant {
  /** The tokens that the process may spend from now on. */
  readonly share: number;
  /** The tokens left for other processes. */
  readonly left: number;
  /** True if the claim failed, and was the first to fail for its bucket in a minute. */
  readonly isFirstBreach: boolean;
}

/** Stores the buckets that all processes on the store share. */
export class BucketStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Answers all claims in one transaction. No two claims may name the same bucket. */
  async claim(claims: readonly Claim[]): Promise<Grant[]> {
    return this.#tables.write(LOCK, async (own, transaction) => {
      const nowMs = await transaction.databaseMs();
      const rows = await readRows(own, claims);
      const settled = claims.map((claim) => settle(claim, rows.get(keyOf(claim)), nowMs));
      const changed = settled.flatMap(({ row }) => (row === undefined ? [] : [row]));
      if (changed.length > 0) {
        await own(BUCKETS_TABLE).insert(changed).onConflict(['tenant_id', 'bucket']).merge();
      }
      return settled.map(({ grant }) => grant);
    });
  }

  /** Returns the present tokens of these buckets. Leaves out unused buckets, which are full. */
  async read(
    tenantId: string,
    buckets: readonly { bucket: string; perMinute: number }[],
  ): Promise<Map<string, number>> {
    return this.#tables.read(async (own, snapshot) => {
      const names = buckets.map(({ bucket }) => ({ tenantId, bucket }));
      const [rows, nowMs] = [await readRows(own, names), await snapshot.databaseMs()];
      const known = buckets.flatMap(({ bucket, perMinute }) => {
        const row = rows.get(keyOf({ tenantId, bucket }));
        return row === undefined ? [] : [[bucket, refilled(row, perMinute, nowMs).tokens] as const];
      });
      return new Map(known);
    });
  }

  /**
   * Deletes buckets that are full again. If the clock was set back, a bucket may have a stamp in the future; it then
   * refills from now on.
   */
  async sweep(): Promise<void> {
    const nowMs = await this.#tables.read((_own, snapshot) => snapshot.databaseMs());
    const ahead = this.#tables(BUCKETS_TABLE).where('at_ms', '>', nowMs + MINUTE_MS);
    await ahead.update({ at_ms: nowMs });
    for (let step = 0; step < SWEEP_STEPS; step += 1) {
      const full = this.#tables(BUCKETS_TABLE)
        .select('bucket')
        .where('at_ms', '<', nowMs - FORGOTTEN_MS)
        .limit(SWEEP_ROWS);
      const deleted: number = await this.#tables(BUCKETS_TABLE)
        .where('at_ms', '<', nowMs - FORGOTTEN_MS)
        .whereIn('bucket', full)
        .delete();
      if (deleted < SWEEP_ROWS) return;
    }
  }
}

interface StoredBucket extends Bucket {
  readonly breachedMs: number;
}

type BucketName = Pick<Claim, 'tenantId' | 'bucket'>;

const keyOf = ({ tenantId, bucket }: BucketName): string => `${tenantId} ${bucket}`;

const readRows = async (
  own: Pick<WritableTables, 'select'>,
  names: readonly BucketName[],
): Promise<Map<string, StoredBucket>> => {
  const rows = await own.select(BUCKETS_TABLE, {
    tenant_id: [...new Set(names.map(({ tenantId }) => tenantId))],
    bucket: names.map(({ bucket }) => bucket),
  });
  return new Map(rows.map((row) => [keyOf(nameOf(row)), bucketOf(row)]));
};

const nameOf = (row: Readonly<Record<string, SqlValue>>): BucketName => ({
  tenantId: String(row['tenant_id']),
  bucket: String(row['bucket']),
});

const bucketOf = (row: Readonly<Record<string, SqlValue>>): StoredBucket => ({
  tokens: Number(row['tokens']),
  atMs: Number(row['at_ms']),
  breachedMs: Number(row['breached_ms']),
});

/** Returns the result of a claim, and the changed row. */
const settle = (
  { tenantId, bucket, perMinute, wants, held }: Claim,
  stored: StoredBucket | undefined,
  nowMs: number,
): { readonly grant: Grant; readonly row?: Row } => {
  const { tokens } = refilled(stored, perMinute, nowMs);
  const spent = spentOf(wants, Math.floor(tokens) + held);
  // Takes no share if no request can be admitted, so that the tokens stay available to other processes.
  const share = spent.total === 0 ? 0 : shareOf(tokens, spent.total - held, perMinute);
  const sinceBreachMs = nowMs - (stored?.breachedMs ?? 0);
  const isFirstBreach = spent.refused > 0 && (sinceBreachMs >= MINUTE_MS || sinceBreachMs < 0);
  const left = tokens - share;
  const grant = { share, left, isFirstBreach };
  if (share === 0 && !isFirstBreach) return { grant };
  const breachedMs = isFirstBreach ? nowMs : (stored?.breachedMs ?? 0);
  return { grant, row: { tenant_id: tenantId, bucket, tokens: left, at_ms: nowMs, breached_ms: breachedMs } };
};
