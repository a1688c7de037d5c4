import type { Knex } from 'knex';
import type { Hlc, MigrationData } from '../../../ports/ports.ts';
import { OLD_FACTS } from './old-tables.ts';

/** The most that one step copies: facts, and about so many bytes of values. A step is held in memory. */
export interface StepLimits {
  readonly facts: number;
  readonly bytes: number;
}

/** Feed stamps after the first and up to the second. */
export interface StampRange {
  readonly after: Hlc;
  readonly to: Hlc;
}

/** The stamps of the next step; undefined when no facts are left. */
export const endOfStep = async (data: MigrationData, after: Hlc, most: StepLimits): Promise<StampRange | undefined> => {
  const rows = (await data
    .table(OLD_FACTS)
    // Neither engine reads a value to tell its length.
    .select('feed_wall', 'feed_ctr', data.table(OLD_FACTS).client.raw('octet_length(value_v) AS bytes'))
    .whereRaw('(feed_wall, feed_ctr) > (?, ?)', [after.wallMs, after.counter])
    .orderBy(['feed_wall', 'feed_ctr'])
    .limit(most.facts)) as { feed_wall: number; feed_ctr: number; bytes: number | null }[];
  let bytes = 0;
  const beyond = rows.findIndex((row) => {
    bytes += row.bytes ?? 0;
    return bytes > most.bytes;
  });
  const last = beyond === -1 ? rows.at(-1) : rows[beyond];
  return last === undefined ? undefined : { after, to: { wallMs: last.feed_wall, counter: last.feed_ctr } };
};

/** The rows of a table with feed stamps in the range. */
export const inStep = (query: Knex.QueryBuilder, { after, to }: StampRange): Knex.QueryBuilder =>
  query
    .whereRaw('(feed_wall, feed_ctr) > (?, ?)', [after.wallMs, after.counter])
    .whereRaw('(feed_wall, feed_ctr) <= (?, ?)', [to.wallMs, to.counter]);
