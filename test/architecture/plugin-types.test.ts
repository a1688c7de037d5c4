import { expect } from 'chai';
import {
  all,
  Clock,
  definePlugin,
  Facts,
  factAppended,
  optional,
  Random,
  readConstrain,
  schema,
} from '../../kernel/plugin-api.ts';

/**
 * Code that the compiler must accept or refuse. The build fails if a line marked with @ts-expect-error compiles, so the
 * test only checks that these cases were compiled.
 */
const cases = [
  definePlugin({
    name: 'typed',
    version: '1.0.0',
    kernelApi: 1,
    requires: { clock: Clock, random: optional(Random) },
    config: schema<{ seconds: number }>({ type: 'object', properties: { seconds: { type: 'integer', default: 1 } } }),
    setup({ config, use, on, provide, tables }) {
      const now: number = use.clock.nowMs() + config.seconds;
      // @ts-expect-error an optional service may be missing
      use.random.uuid();
      // @ts-expect-error a plugin cannot use a service that it does not require
      use.facts;
      // @ts-expect-error a setting that the schema does not have
      config.minutes;
      // @ts-expect-error a clock is more than a number
      provide(Clock, { nowMs: () => now });
      // @ts-expect-error a collect handler returns what the hook collects
      on(factAppended, () => 'nothing');
      on(factAppended, async ({ transaction }) => {
        const own = tables.in(transaction);
        await own.insertRows('typed_rows', [{ id: 1 }]);
        await transaction.expiries([{ tenantId: 'default', id: 'an id' }]);
        // @ts-expect-error tables of any name are the kernel's: a plugin has tables.in(transaction)
        transaction.table('facts');
        // @ts-expect-error the same for prepared reads
        transaction.select('facts', {});
        // @ts-expect-error and for rows
        transaction.insertRows('facts', []);
        // @ts-expect-error facts are appended through Facts, or returned as drafts
        transaction.insert([]);
        // @ts-expect-error the clock is the kernel's
        transaction.saveClock({ wallMs: 0, counter: 0 });
        // @ts-expect-error even to look at it, which locks it
        transaction.lockClock();
        // @ts-expect-error the history of the store is the operator's
        transaction.beginEpoch('another');
        return [];
      });
      on(readConstrain, async ({ snapshot }) => {
        // @ts-expect-error a snapshot takes no rows
        await tables.in(snapshot).insertRows('typed_rows', []);
        // @ts-expect-error nor ends the life of facts
        await snapshot.cover([]);
        return all();
      });
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
        answers: { 200: {} },
        // @ts-expect-error a part of the request without a schema is undefined
        handle: ({ query }) => ({ status: query.limit }),
      });
      // @ts-expect-error a route says who may use it
      route({ method: 'GET', path: '/v1/y', summary: 'y', answers: { 204: {} }, handle: () => ({ status: 204 }) });
      // @ts-expect-error a route says what it returns
      route({ method: 'GET', path: '/v1/z', summary: 'z', access: 'open', handle: () => ({ status: 204 }) });
    },
  }),
];

describe('the types of the plugin interface', () => {
  it('give each plugin only its own services and settings', () => {
    expect(cases.map(({ name }) => name)).to.deep.equal(['typed', 'bare']);
  });
});
