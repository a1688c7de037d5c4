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
import { compileSettings } from '../../kernel/plugins/compile-settings.ts';
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
    for (const [owner, schema] of schemas)
      expect(resolved(schema, true), owner).to.deep.equal(resolved(schema, false), owner);
  });

  it('accept and refuse the same values by the quick check of a start as by the full check', async () => {
    for (const [owner, schema] of await settingsSchemas()) {
      for (const { path, schema: property } of propertiesOf(owner, schema)) {
        for (const value of [...TRIED, ...(property.enum ?? []), property.minimum, property.maximum]) {
          const file = settingsWith(path, value);
          const tried = `${owner}.${path.join('.')}: ${JSON.stringify(value)}`;
          expect(resolved(schema, true, file), tried).to.deep.equal(resolved(schema, false, file), tried);
        }
      }
    }
  });

  it('let the usual settings of a node pass by the quick check alone', () => {
    const usual: [Schema<unknown> | undefined, object][] = [
      [nodeSettings, { url: 'https://facts.example', logLevel: 'warn', workers: 2, cacheMiB: 'auto' }],
      [TRANSPORTS['koa']?.settings, { port: 8080, host: '0.0.0.0' }],
    ];
    for (const [schema, settings] of usual)
      expect(compiled('usual', schema)?.fill({ ...settings }), JSON.stringify(settings)).to.equal(true);
  });
});

const TRIED: readonly unknown[] = [
  ...[undefined, null, true, false, -1, 0, 1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY],
  ...['', ' ', '1', 'auto', 'x'.repeat(41), '\u{1f600}'.repeat(40), '/a/b', 'en', '10.0.0.0/8', '10.0.0.0/99'],
  ...['https://a.example/', 'https://a.example/?q', 'https://u:p@a.example/', 'ftp://a.example', 'app://x', 'null'],
  ...[[], [1], ['x'], ['x', 'x'], {}, { x: 1 }, { constructor: 1 }, { ['__proto__']: 1 }],
];

const resolved = (schema: Schema<unknown>, isOfPackage: boolean, file?: Readonly<Record<string, unknown>>) => {
  const problems: BootProblem[] = [];
  const sources = { owner: 'owner', isOfPackage, dataFolder: '/data', env: {}, file };
  const settings = resolveSettings(schema, sources, problems);
  return { value: settings?.value, problems: problems.map(({ message, hint }) => [message, hint]) };
};

const compiled = (owner: string, schema: Schema<unknown> | undefined) =>
  schema === undefined ? undefined : compileSettings(schema, { owner, isOfPackage: true }, []);

const propertiesOf = (owner: string, schema: Schema<unknown>) => compiled(owner, schema)?.properties ?? [];

/** Returns settings with one value at a path. */
const settingsWith = (path: readonly string[], value: unknown): Readonly<Record<string, unknown>> =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<Record<string, unknown>>;
