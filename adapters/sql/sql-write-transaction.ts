import {
  type ContentSeal,
  type Cover,
  DEFAULT_TENANT,
  type FactLink,
  type FactReferences,
  type FeedEntry,
  type Hlc,
  type LedgerHead,
  type Row,
  type StoredFact,
  type WriteRecord,
  type WriteTransaction,
} from '../../ports/ports.ts';
import { confirmPeriod } from './confirm-period.ts';
import { COVERS, NAMED_COVERS, rowOfCover, rowOfNamedCover } from './cover-rows.ts';
import { DESTRUCTIONS, keysOf } from './doomed-keys.ts';
import { plainRecord } from './fact-row.ts';
import type { FactStatements } from './fact-statements.ts';
import { FEED_ENTRIES_TABLE } from './fact-table.ts';
import { EMPTY_LEDGER, headFromRow, headToRow } from './ledger-row.ts';
import { ADD_LINK, CLOCK_AND_HEAD, ERASE, REDACT, SAVE_HEAD } from './ledger-statements.ts';
import { DROP_PAST_EXPIRIES, RAISE_FLOOR, setExpiry } from './record-time.ts';
import { removedAmong } from './remove-tenant.ts';
import type { DoomedKeys } from './seal-version.ts';
import { scalar } from './select-statement.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { InsertTarget, SqlSession } from './sql-engine.ts';
import { SqlSnapshot } from './sql-snapshot.ts';

/** Implements the writes of the store over one write transaction of any engine. */
export class SqlWriteTransaction extends SqlSnapshot implements WriteTransaction {
  readonly #tenantId: string;
  /** The ids of facts that this transaction has erased, or whose references it has redacted. */
  readonly erased: string[] = [];
  /** The clock, after it was locked. */
  #clock: Hlc | undefined;
  /** The ledger ends that this transaction has changed and not yet written. */
  readonly #heads = new Map<string, LedgerHead>();
  readonly #changed = new Set<string>();

  readonly #keys: Promise<DoomedKeys> | undefined;
  /** The period with whose keys this transaction seals; undefined before it asks for it. */
  #period: number | undefined;

  /** `keys` settles when the keys of a sealed store are fresh. Waits for it at the first use only. */
  constructor(
    session: SqlSession,
    dialect: SqlDialect,
    statements: FactStatements,
    tenantId: string,
    keys?: Promise<DoomedKeys>,
  ) {
    super(session, dialect, statements);
    this.#tenantId = tenantId;
    this.#keys = keys;
  }

  /** Waits for the keys, or rejects without them. Must be called before the commit. */
  async ready(): Promise<void> {
    await this.#keys;
    if (this.#period !== undefined && this.form.seal !== undefined) {
      await confirmPeriod(this.#period, { session: this.session, dialect: this.dialect, seal: this.form.seal });
    }
  }

  async period(): Promise<number | undefined> {
    await this.#keys;
    this.#period ??= this.form.seal?.period;
    return this.#period;
  }

  async insert(facts: readonly StoredFact[], records?: readonly WriteRecord[]): Promise<void> {
    const [first] = facts;
    if (first === undefined) return;
    // Creates the ledger of a new tenant, because a search for facts by id goes through the ledgers of all tenants.
    if ((await this.#head(first.tenantId)) === EMPTY_LEDGER) await this.#addLedger(first.tenantId);
    const from = await this.#reserve(first.tenantId, facts.length);
    const doomed = await this.#keys;
    const rows = facts.map((fact, at) =>
      this.form.toRow(fact, records?.[at] ?? plainRecord(fact), from + at, doomed?.lastOf(fact)),
    );
    await this.session.insert(this.form.target, rows);
    this.#recordNewest(facts, records, from);
  }

  takeNumbers(count: number): Promise<number> {
    return this.#reserve(this.#tenantId, count);
  }

  async addLinks(links: readonly { readonly number: number; readonly link: FactLink }[]): Promise<void> {
    for (const { number, link } of links) {
      const changed = await this.session.run(ADD_LINK, [link.seq, link.hash, this.#tenantId, number]);
      if (changed !== 1) throw new Error('a link is for a fact that the tenant has');
      const head = await this.#head(this.#tenantId);
      if (number > (head.linked?.number ?? 0)) this.#change(this.#tenantId, { ...head, linked: { number, link } });
    }
  }

  async announce(entries: readonly Omit<FeedEntry, 'tenantId'>[]): Promise<void> {
    const last = entries.at(-1);
    if (last === undefined) return;
    await this.session.insert(
      FEED_ENTRIES,
      entries.map(({ stamp, kind, subjectId }) => [this.#tenantId, stamp.wallMs, stamp.counter, kind, subjectId]),
    );
    const head = await this.#head(this.#tenantId);
    // Skips a tenant without facts, whose feed has no readers yet. They see the announced entry with the first fact.
    if (head.newest === null) return;
    this.#change(this.#tenantId, { ...head, newest: { ...head.newest, feed: last.stamp } });
  }

  async erase(facts: readonly { readonly id: string; readonly commitment: Uint8Array }[]): Promise<void> {
    const doomed = await this.#keys;
    if (doomed !== undefined) await this.#doomKeys(facts, doomed);
    for (const { id, commitment } of facts) {
      await this.session.run(ERASE, [commitment, this.#tenantId, id]);
      this.erased.push(id);
    }
  }

  /** Records which keys are to be destroyed for the erasure of facts. Nothing is sealed with them from now on. */
  async #doomKeys(facts: readonly { readonly id: string }[], doomed: DoomedKeys): Promise<void> {
    const keys = await keysOf(
      facts.map(({ id }) => id),
      this.#tenantId,
      this.form.seal as ContentSeal,
      this.session,
      this.dialect,
    );
    for (const { entityKey, scope, generation } of keys) doomed.add(entityKey, scope, generation);
    await this.session.insert(
      DESTRUCTIONS,
      keys.map(({ entityKey, scope, generation }) => [this.#tenantId, entityKey, scope, generation]),
    );
  }

  async redact(facts: readonly Pick<FactReferences, 'id' | 'derivedFrom'>[]): Promise<void> {
    for (const { id, derivedFrom } of facts) {
      const stored = this.form.storedCids(this.#tenantId, derivedFrom);
      await this.session.run(REDACT, [JSON.stringify(stored), this.#tenantId, id]);
      this.erased.push(id);
    }
  }

  override async feedAfter(after: Hlc, limit: number): Promise<FeedEntry[]> {
    await this.saveLedgers();
    return super.feedAfter(after, limit);
  }

  override async head(): Promise<Hlc | null> {
    await this.saveLedgers();
    return super.head();
  }

  override ledgerHead(tenantId: string): Promise<LedgerHead> {
    return this.#head(tenantId);
  }

  /** Writes the changed ledger ends. Must be called before the commit. */
  async saveLedgers(): Promise<void> {
    for (const tenantId of this.#changed) {
      const head = this.#heads.get(tenantId) ?? EMPTY_LEDGER;
      await this.session.post(SAVE_HEAD, [tenantId, ...headToRow(head)]);
    }
    this.#changed.clear();
  }

  async #head(tenantId: string): Promise<LedgerHead> {
    const known = this.#heads.get(tenantId);
    if (known !== undefined) return known;
    const head = await super.ledgerHead(tenantId);
    this.#heads.set(tenantId, head);
    return head;
  }

  #change(tenantId: string, head: LedgerHead): void {
    this.#heads.set(tenantId, head);
    this.#changed.add(tenantId);
  }

  async #addLedger(tenantId: string): Promise<void> {
    const head = { ...EMPTY_LEDGER };
    this.#heads.set(tenantId, head);
    await this.session.run(SAVE_HEAD, [tenantId, ...headToRow(head)]);
  }

  /** Reserves this many numbers and returns the first. */
  async #reserve(tenantId: string, count: number): Promise<number> {
    const head = await this.#head(tenantId);
    this.#change(tenantId, { ...head, number: head.number + count });
    return head.number + 1;
  }

  #recordNewest(facts: readonly StoredFact[], records: readonly WriteRecord[] | undefined, from: number): void {
    const { tenantId } = facts[0] as StoredFact;
    let { newest, linked, number } = this.#heads.get(tenantId) ?? EMPTY_LEDGER;
    for (const [at, { feed }] of facts.entries()) {
      newest = { number: from + at, feed };
      const link = records?.[at]?.link ?? null;
      if (link !== null) linked = { number: from + at, link };
    }
    this.#change(tenantId, { number, newest, linked });
  }

  async insertRows(table: string, given: readonly Row[]): Promise<void> {
    const others = otherTenants(given, this.#tenantId);
    const rows = others.size === 0 ? given : await this.#withoutRemoved(given, others);
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    await this.session.insert(
      { table, columns },
      rows.map((row) => columns.map((column) => valueAt(row, column))),
    );
  }

  /** Drops the rows of removed tenants. Work that spans tenants may not know yet that one of them was removed. */
  async #withoutRemoved(rows: readonly Row[], tenantIds: ReadonlySet<string>): Promise<readonly Row[]> {
    const removed = await removedAmong(this, [...tenantIds]);
    return removed.size === 0 ? rows : rows.filter((row) => !removed.has(String(row['tenant_id'])));
  }

  async cover(covers: readonly Cover[]): Promise<void> {
    const whole = covers.filter(({ named }) => named === null);
    if (whole.length > 0) await this.session.insert(COVERS, whole.map(rowOfCover));
    const named = covers.flatMap((cover) => (cover.named === null ? [] : [rowOfNamedCover(cover, cover.named)]));
    if (named.length > 0) await this.session.insert(NAMED_COVERS, named);
  }

  async setExpiry(factId: string, expiresMs: number, hlc: Hlc, since: Hlc = hlc): Promise<void> {
    await setExpiry(this.session, this.#tenantId, { factId, expiresMs, hlc, since });
  }

  async raisePastFloor({ wallMs, counter }: Hlc): Promise<void> {
    await this.session.run(RAISE_FLOOR, [wallMs, counter, wallMs, counter]);
  }

  async dropPast(limit: number): Promise<number> {
    const floor = await this.pastFloor();
    return this.session.run(DROP_PAST_EXPIRIES, [this.#tenantId, floor.wallMs, floor.counter, limit]);
  }

  async lockClock(): Promise<Hlc> {
    const sql = `${CLOCK_AND_HEAD}${this.dialect.forUpdateOf('c')}`;
    const [row] = await this.session.rows(sql, [this.#tenantId]);
    await this.#keys;
    if (row === undefined) throw new Error('the store has no clock: it was not migrated');
    this.#clock = { wallMs: row[0] as number, counter: row[1] as number };
    // Reads both with one statement, because a transaction that stores facts needs both.
    if (!this.#heads.has(this.#tenantId)) {
      this.#heads.set(this.#tenantId, row[2] === null ? EMPTY_LEDGER : headFromRow(row.slice(2)));
    }
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

/** Returns the tenants of the rows, except the transaction's own and `default`, which cannot be removed. */
const otherTenants = (rows: readonly Row[], own: string): ReadonlySet<string> => {
  const others = new Set<string>();
  for (const { tenant_id: tenantId = own } of rows) {
    if (tenantId !== own && tenantId !== DEFAULT_TENANT) others.add(String(tenantId));
  }
  return others;
};

const MOST_TOPIC_CHARACTERS = 200;

const FEED_ENTRIES: InsertTarget = {
  table: FEED_ENTRIES_TABLE,
  columns: ['tenant_id', 'feed_wall', 'feed_ctr', 'kind', 'subject_id'],
};

const BEGIN_EPOCH = 'UPDATE node_clock SET epoch = ? WHERE id = 1';

const SAVE_CLOCK = 'UPDATE node_clock SET wall = ?, ctr = ? WHERE id = 1';

const valueAt = (row: Row, column: string): Exclude<Row[string], boolean> => {
  const value = row[column];
  if (value === undefined) throw new Error(`a row has no member ${column}, which the first row has`);
  return scalar(value);
};
