import { expect } from 'chai';
import { Clock, definePlugin, Facts, factAppended, optional, Random, schema } from '../../kernel/plugin-api.ts';

/**
 * What the compiler must accept and refuse. A line marked with @ts-expect-error that compiles fails the build, so these
 * cases hold before the test runs; the test says that they were compiled.
 */
const cases = [
  definePlugin({
    name: 'typed',
    version: '1.0.0',
    kernelApi: 1,
    requires: { clock: Clock, random: optional(Random) },
    config: schema<{ seconds: number }>({ type: 'object', properties: { seconds: { type: 'integer', default: 1 } } }),
    setup({ config, use, on, provide }) {
      const now: number = use.clock.nowMs() + config.seconds;
      // @ts-expect-error an optional service may be missing
      use.random.uuid();
      // @ts-expect-error what is not required cannot be used
      use.facts;
      // @ts-expect-error a setting that the schema does not have
      config.minutes;
      // @ts-expect-error a clock is more than a number
      provide(Clock, { nowMs: () => now });
      // @ts-expect-error a collect handler returns what the hook collects
      on(factAppended, () => 'nothing');
    },
  }),
  definePlugin({
    name: 'bare',
    version: '1.0.0',
    // @ts-expect-error the only version of the interface there is
    kernelApi: 2,
    requires: { facts: Facts },
    setup({ route }) {
      route({
        method: 'GET',
        path: '/v1/x',
        summary: 'x',
        access: { permission: 'read' },
        // @ts-expect-error a part of the request without a schema is undefined
        handle: ({ query }) => ({ status: query.limit }),
      });
      // @ts-expect-error a route says who may use it
      route({ method: 'GET', path: '/v1/y', summary: 'y', handle: () => ({ status: 204 }) });
    },
  }),
];

describe('the types of the plugin interface', () => {
  it('give each plugin its own services and settings, and nothing else', () => {
    expect(cases.map(({ name }) => name)).to.deep.equal(['typed', 'bare']);
  });
});
