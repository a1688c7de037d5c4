import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode } from '../kit/start-test-node.ts';
import { type Catalogue, readCatalogue } from '../kit/store-catalogue.ts';
import { placeTestStore } from '../kit/test-store.ts';

/** Tables without tenant data, each with the reason. */
const OF_THE_NODE: Readonly<Record<string, string>> = {
  schema_migrations: 'the migrations that the store has had',
  node_clock: 'the clock of the node stamps the facts of all tenants',
  node_settings: 'what the node knows of itself',
  node_removed_tenants: 'tenants for which nothing is stored any more',
  multi_tenant_tenants: 'the directory of tenants, which outlives them',
  leases: 'which process does what',
  keys_digests: 'a key opens one tenant, so its digest is there once in the whole store',
  capability_tokens_signing_keys: 'public keys of the node',
  oauth_clients: 'clients register before a person, and so a tenant, is known',
  graph_progress: 'how far the graph has followed the feed of all tenants',
  search_embedders: 'how far each generation of vectors has followed the feed of all tenants',
  search_rebuilds: 'how far each process is with another index of words',
};

forEachStore('The unique keys of a store', (kind) => {
  let folder: string;
  let catalogue: Catalogue;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    const node = await startTestNode({ plugins: Object.keys(PLUGIN_CATALOG), folder });
    await node.stop();
    catalogue = await readCatalogue(await placeTestStore(kind, folder));
  });
  after(async () => {
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('begin with the tenant in every table that has rows of tenants', () => {
    const unique = catalogue.indexes.filter(({ table, isUnique }) => isUnique && OF_THE_NODE[table] === undefined);
    expect(unique.length).to.be.greaterThan(20);
    const others = unique.filter(({ columns }) => columns[0] !== 'tenant_id');
    expect(others.map(({ table, name, columns }) => `${table}: ${name} (${columns.join(', ')})`)).to.deep.equal([]);
  });

  it('exist for every table, and every table of tenants has their column', () => {
    const tables = Object.entries(catalogue.columns);
    const isOfTenants = (columns: readonly string[]) => columns.some((column) => column.startsWith('tenant_id '));
    const unkeyed = tables.filter(([table, columns]) => OF_THE_NODE[table] === undefined && !isOfTenants(columns));
    expect(unkeyed.map(([table]) => table)).to.deep.equal([]);
    const wronglyExempt = tables.filter(([table, columns]) => OF_THE_NODE[table] !== undefined && isOfTenants(columns));
    expect(wronglyExempt.map(([table]) => table)).to.deep.equal([]);
    expect(Object.keys(OF_THE_NODE).filter((table) => catalogue.columns[table] === undefined)).to.deep.equal([]);
  });
});
