import { loadSqliteDriver, type SqliteDatabase, type SqliteStatement } from '../../../adapters/sqlite/sqlite-driver.ts';
import { STAMP_LEAD_S } from '../world/node-options.ts';
import type { Party } from '../world/party.ts';
import { holds } from './violation.ts';

/** A row of the table of facts. */
export interface FactRow {
  readonly id: string;
  readonly number: number;
  readonly feed_wall: number;
  readonly feed_ctr: number;
  readonly hlc_wall: number;
  readonly hlc_ctr: number;
  readonly entity_key: string;
  readonly relation_key: string;
  readonly scope: string;
  readonly garden_id: string | null;
  readonly system: number;
  readonly tags: string | null;
  readonly received_from: string | null;
  readonly origin_node_id: string | null;
  /** Null for facts of the node itself. */
  readonly speaker: string | null;
  readonly cid: string | null;
  readonly confidence: number;
  readonly derived_from: string | null;
  readonly replaces: string | null;
  readonly timestamp_ms: number;
  readonly valid_until_ms: number | null;
  readonly value_key: string;
  /** The id at the origin, where the local one differs. */
  readonly origin_id: string | null;
  readonly value_v: string | null;
  readonly valid_until: string | null;
}

/** Reads the store of one node from outside, and checks the invariants of every state. */
export interface StoreWatch {
  /** Checks new facts against the forbidden ids. Cheap when there are no new facts. */
  check(forbidden: ReadonlyMap<string, string>): void;
  /** The facts in the store at the last check, by id. */
  readonly facts: ReadonlyMap<string, FactRow>;
  /** Returns the rows of any statement, on the committed state. */
  rows<T>(sql: string, ...parameters: readonly (string | number)[]): readonly T[];
  /** Checks that every row equals its first observed state. */
  checkUnchanged(): void;
  /** Forgets all rows after an older copy has replaced the store. */
  forget(): void;
  close(): void;
}

const FACTS = 'SELECT * FROM facts WHERE number > ? ORDER BY number';
const CLOCK = 'SELECT wall, ctr FROM node_clock WHERE id = 1';
const DOUBLE_RECORDS = `SELECT entity_key FROM conflicts_records WHERE status = 'unresolved'
  GROUP BY tenant_id, entity_key, relation_key, scope, place HAVING count(*) > 1`;

/** A margin for restarts, each of which advances the clock by a millisecond. */
const STEPS_MS = 1_000;

export const watchStore = (party: Party): StoreWatch => {
  const driver = loadSqliteDriver();
  let database: SqliteDatabase | undefined;
  let statements = new Map<string, SqliteStatement>();
  let version: unknown;
  let facts = new Map<string, FactRow>();
  let received = new Set<string>();
  let last: FactRow | undefined;
  const rows: StoreWatch['rows'] = <T>(sql: string, ...parameters: readonly (string | number)[]) => {
    database ??= driver.open(party.file);
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...parameters) as readonly T[];
  };
  const forget = (): void => {
    facts = new Map();
    received = new Set();
    last = undefined;
    version = undefined;
    close();
  };
  const close = (): void => {
    statements = new Map();
    database?.close();
    database = undefined;
  };
  const changed = (): boolean => {
    const [found] = rows<{ data_version: number }>('PRAGMA data_version');
    const isSame = found?.data_version === version;
    version = found?.data_version;
    return !isSame;
  };
  const take = (row: FactRow): void => {
    const { id } = row;
    holds('I4', last === undefined || isLater(row, last), () => `${party.name}: the stamp of ${id} is not the latest`);
    last = row;
    facts.set(id, row);
    const isForeign = row.received_from !== null;
    if (isForeign) {
      const isAbove = row.feed_wall > row.hlc_wall || (row.feed_wall === row.hlc_wall && row.feed_ctr > row.hlc_ctr);
      holds('I5', isAbove, () => `${party.name}: ${id} was stored at a stamp that is not above its own`);
      holds('I2', !billed(row), () => `${party.name}: the received fact ${id} is billed`);
      holds('I9', row.garden_id === null, () => `${party.name}: the received fact ${id} lies in a garden`);
      holds('I9', row.system === 0, () => `${party.name}: ${id} came from a peer and is a system fact`);
      holds('I9', row.scope === 'public' || row.scope === 'company', () => `${party.name}: ${id} is ${row.scope}`);
    } else if (row.system === 0) {
      holds('I2', billed(row), () => `${party.name}: ${id} is not billed`);
    }
    if (row.relation_key !== 'svc:received_from') return;
    const subject = row.entity_key.replace(/^svc:fact:/, '');
    holds('I10', !received.has(subject), () => `${party.name}: ${subject} was received twice`);
    holds('I10', facts.get(subject)?.received_from !== null, () => `${party.name}: ${subject} came from here`);
    received.add(subject);
  };
  return {
    rows,
    forget,
    close,
    get facts() {
      return facts;
    },
    check(forbidden) {
      if (!changed()) return;
      for (const row of rows<FactRow>(FACTS, last?.number ?? 0)) {
        take(row);
        holds(
          'I14',
          !forbidden.has(row.id),
          () => `${party.name} stored ${row.id}, which a stranger made up: ${forbidden.get(row.id)}`,
        );
      }
      const [clock] = rows<{ wall: number }>(CLOCK);
      const mostMs = party.clock.highestMs + STAMP_LEAD_S * 1_000 + STEPS_MS;
      holds('I6', (clock?.wall ?? 0) <= mostMs, () => `${party.name}: the clock is ${clock?.wall}, at most ${mostMs}`);
      const [double] = rows<{ entity_key: string }>(DOUBLE_RECORDS);
      holds('I11', double === undefined, () => `${party.name}: two open records about ${double?.entity_key}`);
    },
    checkUnchanged() {
      const now = new Map(rows<FactRow>(FACTS, 0).map((row) => [row.id, row]));
      for (const [id, first] of facts) {
        const row = now.get(id);
        holds('I1', row !== undefined, () => `${party.name}: ${id} is gone`);
        holds('I3', said(row) === said(first), () => `${party.name}: ${id} has changed`);
      }
      for (const row of facts.values()) {
        // A fact of this node that a peer sent back needs no record of its receipt.
        if (row.received_from === null || row.origin_node_id === party.nodeId) continue;
        holds(
          'I10',
          received.has(row.id.toLowerCase()),
          () => `${party.name}: nothing says from where ${row.id} was received`,
        );
      }
    },
  };
};

const isLater = (one: FactRow, other: FactRow): boolean =>
  one.feed_wall > other.feed_wall || (one.feed_wall === other.feed_wall && one.feed_ctr > other.feed_ctr);

const billed = ({ tags }: FactRow): boolean => tags?.includes(',billing,') === true;

/** Returns a row without its link, which is added after the commit. All other columns are immutable. */
const said = (row: FactRow | undefined): string => {
  const { link_seq: _seq, link_hash: _hash, ...rest } = (row ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
};
