import { expect } from 'chai';
import {
  type Catalog,
  CLOCKS,
  EMBEDDERS,
  PREVIOUS_EMBEDDERS,
  STORES,
  TRANSPORTS,
} from '../../config/adapter-catalog.ts';
import { nodeSettings } from '../../config/node-settings.ts';
import { PLUGIN_ALTERNATIVES, PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import { resolveSettings } from '../../kernel/plugins/plugin-config.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import type { BootProblem } from '../../kernel/problems/boot-problem.ts';
import type { Schema } from '../../ports/schema.ts';
import { startTestNode } from '../kit/start-test-node.ts';

const importPlugins = (): Promise<AnyPlugin[]> =>
  Promise.all(Object.values({ ...PLUGIN_CATALOG, ...PLUGIN_ALTERNATIVES }).map((load) => load()));

/** Returns the settings schemas of the package with their owners. */
const settingsSchemas = async (): Promise<[string, Schema<unknown>][]> => {
  const adapters = ([STORES, TRANSPORTS, EMBEDDERS, PREVIOUS_EMBEDDERS, CLOCKS] as Catalog<AnyAdapter>[]).flatMap(
    (catalog) => Object.entries(catalog),
  );
  const parts = [
    ...adapters,
    ...(await importPlugins()).map(({ name, config }) => [name, { settings: config }] as const),
  ];
  const schemas = parts.flatMap(([name, { settings }]): [string, Schema<unknown>][] =>
    settings === undefined ? [] : [[name, settings]],
  );
  return [['node', nodeSettings], ...schemas];
};

interface AnyAdapter {
  readonly settings?: Schema<unknown> | undefined;
}

// The node compiles these at their first use, so that an invalid one would show only there.
describe('The schemas of the package', () => {
  it('compile for all routes', async () => {
    // Plugins that a program brings as objects are not of the package for a node: it compiles their schemas at once.
    const all = await Promise.all(Object.values(PLUGIN_CATALOG).map((load) => load()));
    const node = await startTestNode({ plugins: all });
    await node.stop();
  });

  it('compile for all settings, whose defaults pass the full check', async () => {
    const schemas = await settingsSchemas();
    expect(schemas.length).to.be.above(20);
    for (const [owner, schema] of schemas) {
      const resolve = (isOfPackage: boolean) => {
        const problems: BootProblem[] = [];
        const resolved = resolveSettings(schema, { owner, isOfPackage, dataFolder: '/data', env: {} }, problems);
        return { value: resolved?.value, problems: problems.map(({ message }) => message) };
      };
      expect(resolve(true), owner).to.deep.equal(resolve(false));
    }
  });
});
