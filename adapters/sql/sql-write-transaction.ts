import type { Cover, Hlc, Row, SqlValue, StoredFact, WriteTransaction } from '../../ports/ports.ts';
import { FACT_COLUMNS, factToRow } from './fact-row.ts';
import type { FactStatements } from './fact-statements.ts';
import { scalar } from './select-statement.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { InsertTarget, SqlSession } from './sql-engine.ts';
import { SqlSnapshot } from './sql-snapshot.ts';

/** The writes of the store, over one write transaction of any engine. */
export class SqlWriteTransaction extends SqlSnapshot implements WriteTransaction {
  readonly #tenantId: string;
  /** What the clock says, once it is locked. */
  #clock: Hlc | undefined;

  constructor(session: SqlSession, dialect: SqlDialect, statements: FactStatements, tenantId: string) {
    super(session, dialect, statements);
    this.#tenantId = tenantId;
  }

  async insert(facts: readonly StoredFact[], { areNew = false } = {}): Promise<boolean[]> {
    if (facts.length === 0) return [];
    const inserted = await this.session.insert(areNew ? NEW_FACTS : FACTS, facts.map(factToRow));
    await this.#enterIntoFeed(areNew ? facts : facts.filter((_, at) => inserted[at]));
    return inserted;
  }

  /** Of the facts that were inserted last. */
  async #enterIntoFeed(facts: readonly StoredFact[]): Promise<void> {
    if (this.session.copyToFeed === undefined) await this.session.insert(FEED, facts.map(feedEntry));
    else await this.session.copyToFeed(facts.length);
  }

  async insertRows(table: string, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    await this.session.insert(
      { table, columns },
      rows.map((row) => columns.map((column) => valueAt(row, column))),
    );
  }

  async cover(covers: readonly Cover[]): Promise<void> {
    if (covers.length === 0) return;
    await this.session.insert(
      COVERS,
      covers.map((cover) => [
        cover.factId,
        cover.kind,
        cover.tenantId,
        cover.entityKey,
        cover.relationKey,
        cover.scope,
        cover.gardenId ?? '',
        cover.hlc.wallMs,
        cover.hlc.counter,
      ]),
    );
  }

  async setExpiry(factId: string, expiresMs: number, hlc: Hlc): Promise<void> {
    await this.session.run(SET_EXPIRY, [factId, expiresMs, hlc.wallMs, hlc.counter, this.#tenantId]);
  }

  async lockClock(): Promise<Hlc> {
    const [row] = await this.session.rows(`${READ_CLOCK}${this.dialect.forUpdate}`, []);
    if (row === undefined) throw new Error('the store has no clock: it was not migrated');
    this.#clock = { wallMs: row[0] as number, counter: row[1] as number };
    return this.#clock;
  }

  async saveClock(clock: Hlc, epoch?: string): Promise<void> {
    const { wallMs, counter } = clock;
    const last = this.#clock ?? (await this.lockClock());
    if (wallMs < last.wallMs || (wallMs === last.wallMs && counter < last.counter)) {
      throw new Error('the clock must not go backwards');
    }
    this.#clock = clock;
    await this.session.post(SAVE_CLOCK, [wallMs, counter]);
    if (epoch !== undefined) await this.session.run(BEGIN_EPOCH, [epoch]);
  }

  signal(topic: string): void {
    if (topic === '' || topic.length > MOST_TOPIC_CHARACTERS) {
      throw new RangeError(`the topic of a signal has 1 to ${MOST_TOPIC_CHARACTERS} characters`);
    }
    this.session.signal(topic);
  }
}

const MOST_TOPIC_CHARACTERS = 200;

const FACTS: InsertTarget = { table: 'facts', columns: FACT_COLUMNS, unlessTaken: 'id' };

const NEW_FACTS: InsertTarget = { table: 'facts', columns: FACT_COLUMNS };

const FEED: InsertTarget = { table: 'feed', columns: ['wall', 'ctr', 'kind', 'subject_id', 'tenant_id'] };

const COVERS: InsertTarget = {
  table: 'fact_covers',
  columns: ['fact_id', 'kind', 'tenant_id', 'entity_key', 'relation_key', 'scope', 'place', 'hlc_wall', 'hlc_ctr'],
  unlessTaken: 'fact_id',
};

/** Two authorities with one stamp can come from two nodes; the earlier end wins then, whatever the order of arrival. */
const SET_EXPIRY = `INSERT INTO fact_expiries (fact_id, expires_ms, hlc_wall, hlc_ctr, tenant_id) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (fact_id) DO UPDATE
SET expires_ms = excluded.expires_ms, hlc_wall = excluded.hlc_wall, hlc_ctr = excluded.hlc_ctr
WHERE (excluded.hlc_wall, excluded.hlc_ctr, fact_expiries.expires_ms)
  > (fact_expiries.hlc_wall, fact_expiries.hlc_ctr, excluded.expires_ms)`;

const READ_CLOCK = 'SELECT wall, ctr FROM node_clock WHERE id = 1';

const BEGIN_EPOCH = 'UPDATE node_clock SET epoch = ? WHERE id = 1';

const SAVE_CLOCK = 'UPDATE node_clock SET wall = ?, ctr = ? WHERE id = 1';

const feedEntry = ({ feed, id, tenantId }: StoredFact): SqlValue[] => [feed.wallMs, feed.counter, 'fact', id, tenantId];

const valueAt = (row: Row, column: string): Exclude<Row[string], boolean> => {
  const value = row[column];
  if (value === undefined) throw new Error(`a row has no member ${column}, which the first row has`);
  return scalar(value);
};
