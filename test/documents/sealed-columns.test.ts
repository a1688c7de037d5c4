import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { startTestNode } from '../kit/start-test-node.ts';
import { readCatalogue } from '../kit/store-catalogue.ts';
import { placeTestStore } from '../kit/test-store.ts';
import { pageText } from './read-pages.ts';

const ROW = /^\| `(\w+)` \| ([^|]+) \| (–|entity|period|tenant) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm;

const namesIn = (cell = ''): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);

const told = new Map(
  [...pageText('docs/concepts/encryption.md').matchAll(ROW)].map(([, table = '', sealed, key = '', hidden, clear]) => [
    table,
    { sealed: namesIn(sealed), key, hidden: namesIn(hidden), clear: namesIn(clear) },
  ]),
);

/** The tables of the core, which the store itself seals. */
const CORE = /^(facts|ledgers|leases|feed_entries|schema_migrations|fact_(?!chain)\w+|node_\w+|seal_\w+)$/;

describe('The columns that a sealed node seals', () => {
  it('are on the page, with every other column of the tables of plugins', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'columns-'));
    try {
      await (await startTestNode({ plugins: Object.keys(PLUGIN_CATALOG), folder })).stop();
      const { columns } = await readCatalogue(await placeTestStore('sqlite', folder));
      const found = Object.entries(columns)
        .filter(([table]) => !CORE.test(table))
        .map(([table, names]) => [table, names.map((name) => name.split(' ')[0]).sort()] as const);
      const known = [...told].map(([table, { sealed, hidden, clear }]) => [
        table,
        [...sealed, ...hidden, ...clear].sort(),
      ]);
      expect(Object.fromEntries(known)).to.deep.equal(Object.fromEntries(found));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are those that the plugins declare', async () => {
    const declared = (await plugins()).flatMap(({ contents = [] }) => contents);
    const known = [...told].flatMap(([table, { sealed, hidden }]) => {
      const own = declared.find((columns) => columns.table === table);
      // A plugin may hide further columns by itself.
      const named = own?.owner !== undefined ? 'entity' : own?.expiring === undefined ? 'tenant' : 'period';
      const key = sealed.length === 0 ? '–' : named;
      expect(told.get(table)?.key, `the key of ${table}`).to.equal(key);
      const isTold = (own?.hidden ?? []).every((column) => hidden.includes(column));
      expect(isTold, `the hidden columns of ${table}`).to.equal(true);
      return sealed.length === 0 ? [] : [[table, sealed] as const];
    });
    const sealing = declared.map(
      ({ table, texts = [], expiring = [], bytes = [] }) => [table, [...texts, ...expiring, ...bytes]] as const,
    );
    expect(Object.fromEntries(known)).to.deep.equal(
      Object.fromEntries(sealing.filter(([, columns]) => columns.length > 0)),
    );
  });
});

const plugins = (): Promise<readonly AnyPlugin[]> => Promise.all(Object.values(PLUGIN_CATALOG).map((load) => load()));
