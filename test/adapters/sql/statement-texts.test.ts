import { expect } from 'chai';
import fc from 'fast-check';
import { postgresDialect } from '../../../adapters/postgres/postgres-dialect.ts';
import { FactStatements } from '../../../adapters/sql/fact-statements.ts';
import { sqliteDialect } from '../../../adapters/sqlite/sqlite-dialect.ts';
import { all, any, constantFilter, equals, type Filter, isIn, not, startsWith } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { arbitraryFilter } from './arbitrary-filters.ts';

const MANY = 100;

forEachStore('the SQL statements of filters that callers supply', (engine) => {
  const statements = new FactStatements(engine === 'sqlite' ? sqliteDialect : postgresDialect);
  const bound = (filter: Filter) => statements.count(all(equals('tenantId', 'default'), filter));
  const textsOf = (filters: readonly Filter[]): Set<string> => new Set(filters.map((filter) => bound(filter).sql));
  const upTo = (most: number) => Array.from({ length: most }, (_, n) => n + 1);
  const names = (count: number) => upTo(count).map((n) => `boat:${n}`);
  const begin = (count: number) =>
    any(isIn('entityKey', []), ...names(count).map((name) => startsWith('entityKey', name)));

  it('are the same for prefixes of every length', () => {
    const texts = textsOf(upTo(300).map((length) => startsWith('entityKey', 'b'.repeat(length))));
    expect(texts.size).to.equal(1);
  });

  it('have few distinct texts, for any number of prefixes and names', () => {
    // One for each power of two up to 128.
    expect(textsOf(upTo(MANY).map(begin)).size).to.equal(8);
    // One for each power of two up to 8, and one for all longer lists.
    expect(textsOf(upTo(MANY).map((count) => isIn('entityKey', names(count)))).size).to.equal(5);
  });

  it('are the same for a constant filter and an equal one that was just made', () => {
    fc.assert(
      fc.property(arbitraryFilter, arbitraryFilter, (filter, other) => {
        const constant = constantFilter(structuredClone(filter));
        for (let turn = 0; turn < 2; turn += 1) {
          for (const [fresh, frozen] of [
            [filter, constant],
            [any(filter, other), any(constant, other)],
            [all(other, not(filter)), all(other, not(constant))],
          ] as const) {
            expect(bound(frozen)).to.deep.equal(bound(fresh));
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('have as many parameters as placeholders', () => {
    const open = startsWith('entityKey', '\u{10ffff}');
    const filters = [...upTo(MANY).map(begin), ...upTo(12).map((count) => isIn('cid', names(count))), open];
    for (const filter of filters) {
      const { sql, parameters } = bound(filter);
      expect(sql.split('?').length - 1).to.equal(parameters.length);
    }
  });
});
