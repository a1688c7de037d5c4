import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { FactStatements } from '../../../adapters/sql/fact-statements.ts';
import { SIBLINGS } from '../../../adapters/sql/siblings-statement.ts';
import { stepsOf } from '../../../adapters/sql/triple-order.ts';
import { sqliteDialect } from '../../../adapters/sqlite/sqlite-dialect.ts';
import { loadSqliteDriver, type SqliteDatabase } from '../../../adapters/sqlite/sqlite-driver.ts';
import { currentAmong, liveAmong, visibleTo } from '../../../kernel/facts/default-constraints.ts';
import { above, all, equals, type FactQuery, type Filter, isIn, type Principal } from '../../../ports/ports.ts';
import { outlineOf, sampleFact } from '../../kit/fact-samples.ts';
import { createTemporaryStore, type TemporaryStore } from './temporary-store.ts';

const CALLER: Principal = {
  kind: 'key',
  entityUri: 'agent:a',
  permissions: new Set(['read']),
  allowedScopes: new Set(['local', 'company', 'public']),
  tenantId: 'default',
  keyId: null,
  oidcSub: null,
};

const visible = visibleTo(CALLER, []);
const live = liveAmong(visible, { nowMs: 0 });

/** The filter of a default query. */
const current = (...conditions: Filter[]): Filter =>
  all(
    currentAmong(visible, {
      nowMs: 0,
      about: {},
      include: { contradicted: false, expired: false, retracted: false },
    }),
    ...conditions,
  );

/** A search for a few facts must take the same time in any store, so no plan may scan all facts. */
describe('SQLite searches by index', () => {
  const statements = new FactStatements(sqliteDialect);
  let temporary: TemporaryStore;
  let database: SqliteDatabase;

  before(async () => {
    temporary = await createTemporaryStore();
    await temporary.store.migrate(CORE_MIGRATIONS);
    database = loadSqliteDriver().open(temporary.path);
  });
  after(async () => {
    database.close();
    await temporary.stop();
  });

  const planOf = (sql: string): string[] => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    plan.setReturnArrays(true);
    return plan.all().map((row) => (row as string[])[3] as string);
  };
  /** Returns the step of the query plan that reads the requested facts. */
  const stepFor = (sql: string): string => {
    const steps = planOf(sql);
    expect(steps.filter((step) => step.startsWith('SCAN') && !step.includes('json_each'))).to.deep.equal([]);
    return steps.find((step) => step.startsWith('SEARCH f ')) ?? '';
  };
  const find = (filter: Filter, order: FactQuery['order'] = 'timestamp', after?: FactQuery['after']): string =>
    stepFor(statements.find({ filter, order, limit: 50, ...(after === undefined ? {} : { after }) }).sql);

  it('for one fact by its id', () => {
    expect(find(equals('id', 'a'), 'feed')).to.match(/facts_by_id/);
    expect(find(all(visible, isIn('id', ['a', 'b'])), 'feed')).to.match(/facts_by_id/);
    const many = Array.from({ length: 100 }, (_, n) => String(n));
    expect(find(all(visible, isIn('id', many)))).to.match(/facts_by_id/);
  });

  it('for the facts of a session by the session id', () => {
    const of = current(equals('sessionId', 's'), equals('assertedBy', 'agent:a'));
    expect(find(of)).to.match(/facts_by_session .*session_id=/);
  });

  it('for the facts of an entity by the triple, in every sort order', () => {
    const of = current(equals('entityKey', 'a'));
    expect(find(of)).to.match(/facts_by_triple .*entity_key=/);
    expect(find(of, 'timestamp', { timestampMs: 0, id: '' })).to.match(/facts_by_triple .*entity_key=/);
    expect(find(of, 'hlc')).to.match(/facts_by_triple .*entity_key=/);
    expect(find(of, 'feed')).to.match(/facts_by_triple .*entity_key=/);
    expect(find(current(equals('entityKey', 'a'), equals('relationKey', 'b')))).to.match(/relation_key=/);
    expect(stepFor(statements.count(of).sql)).to.match(/facts_by_triple .*entity_key=/);
  });

  it('for the competing facts of a triple, without sorting them', () => {
    expect(stepFor(SIBLINGS)).to.match(/facts_by_triple .*scope=\? AND <expr>=\? AND confidence>/);
    const triple = all(live, equals('entityKey', 'a'), equals('relationKey', 'b'), equals('scope', 'local'));
    expect(stepFor(statements.outline(triple).sql)).to.match(/facts_by_triple .*scope=/);
  });

  it('for the newest facts by timestamp', () => {
    expect(find(current())).to.match(/facts_by_timestamp/);
    expect(find(current(), 'timestamp', { timestampMs: 0, id: '' })).to.match(/facts_by_timestamp .*timestamp_ms/);
  });

  it('for a bounded number of facts where a read is made in pieces', () => {
    const position = { timestampMs: 0, id: '' };
    const piece = statements.find({ filter: current(), order: 'timestamp', limit: 50, after: position }, position).sql;
    expect(planOf(piece)).to.not.include('USE TEMP B-TREE FOR ORDER BY');
    expect(stepFor(piece)).to.match(/facts_by_timestamp .*\(timestamp_ms,id\)>\(\?,\?\) AND \(timestamp_ms,id\)</);
    expect(stepFor(statements.positionAfter('default', position, 9).sql)).to.match(/COVERING INDEX facts_by_timestamp/);
    expect(stepFor(statements.countNumbered(current(), 0, 9).sql)).to.match(
      /facts_by_number .*number>\? AND number<\?/,
    );
    const ofEntity = all(equals('tenantId', 'default'), equals('entityKey', 'a'));
    expect(planOf(statements.countUpTo(ofEntity, 9).sql).join()).to.match(
      /SEARCH f USING COVERING INDEX facts_by_triple .*entity_key=/,
    );
  });

  it('for the facts of a content id or source by that column', () => {
    expect(find(all(visible, equals('cid', 'c')), 'hlc')).to.match(/facts_by_cid /);
    expect(find(current(equals('sourceKey', 's')))).to.match(/facts_by_source .*source_key=/);
  });

  it('for the ledger entries of one writer or source in their order', () => {
    const source = all(equals('sourceKey', 's'), equals('source', 's'));
    for (const [index, range] of [
      ['facts_by_writer', { tenantId: 'default', writer: 'agent:a' }],
      ['facts_by_source', { tenantId: 'default', filter: source }],
    ] as const) {
      for (const bounds of [{}, { above: 1 }, { below: 9 }]) {
        const wanted = { ...range, ...bounds };
        const page = statements.ledger({ ...wanted, order: 'newest', limit: 50 }).sql;
        expect(stepFor(page)).to.match(new RegExp(`USING INDEX ${index} `));
        expect(planOf(page)).to.not.include('USE TEMP B-TREE FOR ORDER BY');
        expect(stepFor(statements.ledgerCount(wanted).sql)).to.match(new RegExp(`INDEX ${index} `));
      }
    }
  });

  it('for a piece of the ledger by its numbers, with any filter', () => {
    for (const field of ['entityKey', 'sourceKey', 'sessionId', 'gardenId'] as const) {
      const piece = { tenantId: 'default', above: 0, below: 2_001, filter: current(equals(field, 'a')) };
      const plans = [statements.ledgerCount(piece), statements.ledger({ ...piece, order: 'newest', limit: 50 })];
      for (const { sql } of plans) {
        const [first] = planOf(sql).filter((step) => step.startsWith('SEARCH f '));
        expect(first).to.match(/facts_by_number .*number>\? AND number<\?/);
      }
      const whole = statements.ledgerCount({ ...piece, below: 1_000_000 });
      expect(stepFor(whole.sql)).to.not.include('facts_by_number');
    }
  });

  it('for the next facts in triple order, however long the triple is', () => {
    const plans = [...stepsOf({ after: undefined }), ...stepsOf({ after: outlineOf(sampleFact(1)) })].map((step) => {
      const { sql } = statements.tripleStep(live, step);
      // Only facts of the same place, confidence and stamp may be sorted.
      expect(planOf(sql)).to.not.include('USE TEMP B-TREE FOR ORDER BY');
      return stepFor(sql);
    });
    expect(plans[0]).to.match(/facts_by_triple \(tenant_id=\?\)/);
    expect(plans[1]).to.match(/facts_by_triple .*scope=\? AND <expr>=\? AND \(confidence,hlc_wall,hlc_ctr\)>/);
    expect(plans[2]).to.match(/facts_by_triple .*scope=\? AND <expr>>\?/);
    expect(plans[3]).to.match(/facts_by_triple .*entity_key=\? AND \(relation_key,scope\)>/);
    expect(plans[4]).to.match(/facts_by_triple .*tenant_id=\? AND entity_key>\?/);
    expect(stepFor(statements.entityWith(live).sql)).to.match(/facts_by_triple .*entity_key=\?/);
  });

  it('for the facts after a feed stamp', () => {
    expect(find(all(visible, above('feed', { wallMs: 1, counter: 0 })), 'feed')).to.match(/facts_by_feed .*feed_wall/);
  });

  it('without reading long text: long columns are stored last', () => {
    const columns = database.prepare('PRAGMA table_info(facts)').all() as { name: string }[];
    expect(columns.slice(-5).map(({ name }) => name)).to.deep.equal([
      'derived_from',
      'replaces',
      'value_key',
      'sealed',
      'value_v',
    ]);
  });
});
