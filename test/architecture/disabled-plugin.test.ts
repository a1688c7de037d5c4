import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import { Permissions, Vocabulary } from '../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';

const refIds = (plugin: AnyPlugin): string[] =>
  Object.values((plugin.requires ?? {}) as Readonly<Record<string, { id?: string }>>).flatMap(({ id }) => id ?? []);

/** Returns the plugin and every plugin that cannot be set up without it. */
const withDependents = (name: string, plugins: ReadonlyMap<string, AnyPlugin>): Set<string> => {
  const off = new Set([name]);
  for (;;) {
    const lost = new Set([...off].flatMap((gone) => (plugins.get(gone)?.provides ?? []).map(({ id }) => id)));
    const more = [...plugins].filter(([other, plugin]) => !off.has(other) && refIds(plugin).some((id) => lost.has(id)));
    if (more.length === 0) return off;
    for (const [other] of more) off.add(other);
  }
};

const variablesOf = (plugin: AnyPlugin): string[] => {
  const properties = (plugin.config?.json['properties'] ?? {}) as Readonly<Record<string, { env?: string }>>;
  return Object.values(properties).flatMap(({ env }) => env ?? []);
};

/** An empty environment that records the names of all variables that are read. */
const watchedEnvironment = () => {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, variable) => void read.add(String(variable)),
      has: (_, variable) => Boolean(read.add(String(variable))) && false,
    },
  );
  return { env, read };
};

const permissionsOf = ({ node }: TestNode): string[] =>
  node.kernel
    .get(Vocabulary)
    .words(Permissions)
    .map(({ id }) => id);

forEachStore('a plugin that is switched off', () => {
  const plugins = new Map<string, AnyPlugin>();
  let everything: TestNode;
  /** Variables that the node reads even with every plugin off. */
  let readByNone: ReadonlySet<string>;

  before(async () => {
    for (const [name, load] of Object.entries(PLUGIN_CATALOG)) plugins.set(name, await load());
    everything = await startTestNode({ plugins: [...plugins.keys()] });
    const { env, read } = watchedEnvironment();
    await (await startTestNode({ plugins: [], env })).stop();
    readByNone = read;
  });
  after(() => everything.stop());

  for (const name of Object.keys(PLUGIN_CATALOG)) {
    it(`leaves no trace: ${name}`, async () => {
      const off = withDependents(name, plugins);
      const { env, read } = watchedEnvironment();
      const node = await startTestNode({ plugins: [...plugins.keys()].filter((other) => !off.has(other)), env });
      try {
        const described = await node.node.describe();
        const full = await everything.node.describe();
        const key = await node.addKey({ permissions: permissionsOf(node) });
        for (const route of full.routes.filter(({ plugin }) => off.has(plugin))) {
          const path = route.path.replaceAll(/[:*]\w+/g, 'x');
          const { status } = await node.request(route.method, path, { key });
          // Another plugin may have a route for the same path, but never with this method.
          expect([404, 405], `${route.method} ${route.path}`).to.include(status);
        }
        const own = variablesOf(plugins.get(name) as AnyPlugin).filter((variable) => !readByNone.has(variable));
        const prefix = `${name.replaceAll('-', '_')}_`;
        expect(described.tables.filter((table) => table.name.startsWith(prefix))).to.deep.equal([]);
        expect(JSON.stringify(described.hooks)).not.to.include(`"${name}"`);
        expect(own.filter((variable) => read.has(variable))).to.deep.equal([]);
        if (!off.has('facts')) await storesAndFindsAFact(node, key);
      } finally {
        await node.stop();
      }
    });
  }

  it('does not publish facts that it protected: garden facts stay hidden while the gardens plugin is off', async () => {
    const key = await everything.addKey({
      entityUri: 'agent:w',
      permissions: ['read', 'write', 'admin', 'audit.read'],
    });
    await everything.request('POST', '/v1/gardens', { key, body: { slug: 'kept', name: 'Kept', scope: 'local' } });
    const body = { entity: 'user:garden', relation: 'memory:role', value: { type: 'string', v: 'hidden' } };
    const kept = { ...body, source: 'agent:w', garden_id: 'kept' };
    const { body: fact } = await everything.request('POST', '/v1/facts', { key, body: kept });
    const without = await startTestNode({
      plugins: [...plugins.keys()].filter((name) => name !== 'gardens'),
      folder: everything.folder,
      url: 'http://localhost:8766',
    });
    try {
      const ask = (path: string) => without.request('GET', path, { key });
      expect((await ask('/v1/facts?entity=user:garden&include_contradicted=true')).body.total).to.equal(0);
      expect((await ask(`/v1/facts/${fact.id}`)).status).to.equal(404);
      expect((await ask(`/v1/facts/${fact.cid}`)).status).to.equal(404);
      const rows = (await ask('/v1/audit?limit=500')).body.entries.filter(
        (row: { fact_id: string }) => row.fact_id === fact.id,
      );
      expect(rows).to.have.lengthOf(1);
      for (const row of rows) expect(row.fact_entity).to.equal(null);
    } finally {
      await without.stop();
    }
  });
});

const storesAndFindsAFact = async (node: TestNode, key: string): Promise<void> => {
  const body = {
    entity: 'user:noor',
    relation: 'memory:role',
    value: { type: 'string', v: 'archivist' },
    source: 'agent:w',
  };
  const stored = await node.request('POST', '/v1/facts', { key, body });
  expect(stored.status, stored.text).to.equal(201);
  const found = await node.request('GET', '/v1/facts?entity=user:noor', { key });
  expect(found.body.facts[0].id).to.equal(stored.body.id);
};
