import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';

/** The first characters of each line of a stack trace. */
const STACK = '    at ';

const CASES: readonly (readonly [title: string, members: string, said: readonly RegExp[]])[] = [
  [
    'changes the table of somebody else in a migration',
    "migrations: [{ number: 1000001, name: 'grab', up: ({ schema }) => schema.dropTable('facts') }], setup() {},",
    [/plugin "careless": migration 1000001 grab failed/, /tables whose names start with careless_, not facts/],
  ],
  [
    'throws in a migration',
    "migrations: [{ number: 1000001, name: 'fall', up: async () => { null.x; } }], setup() {},",
    [/plugin "careless": migration 1000001 fall failed/, /leave it out of the configuration/],
  ],
  [
    'has a route that anybody might be meant to call',
    "setup({ route }) { route({ method: 'GET', path: '/v1/careless', summary: 'x', handle: () => ({ status: 200 }) }); },",
    [/plugin "careless": the route GET \/v1\/careless has no access/, /hint: say who may call it/],
  ],
  [
    'reads a body that it never described',
    "setup({ route }) { route({ method: 'POST', path: '/v1/careless', summary: 'x', access: { permission: 'write' }, " +
      'handle: ({ body }) => ({ status: 200, body }) }); },',
    [/plugin "careless": the route POST \/v1\/careless reads a body without a schema/, /hint: describe the body/],
  ],
  [
    'throws in its setup',
    "setup() { throw new Error('no luck'); },",
    [/careless failed in setup: no luck/, /hint: start with SVC_LOG_LEVEL=debug/],
  ],
  [
    'waits in its setup for something that does not keep the process',
    "setup: () => new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 50).unref()),",
    [/careless failed in setup: too late/],
  ],
  [
    'describes a query by something that is no schema',
    "setup({ route }) { route({ method: 'GET', path: '/v1/careless', summary: 'x', access: 'open', " +
      "query: { json: { type: 'nonsense' } }, answers: { 204: {} }, handle: () => ({ status: 204 }) }); },",
    [/plugin "careless": the route GET \/v1\/careless cannot be compiled: schema is invalid/],
  ],
];

describe('A plugin with mistakes stops the start, and the error names it (I20)', () => {
  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
    writeFileSync(place.path('node.json'), '{ "plugins": { "careless": { "from": "./careless.mjs" } } }');
  });
  afterEach(() => place.dispose());

  for (const [title, members, said] of CASES) {
    it(`when the plugin ${title}`, async () => {
      const plugin = `{ name: 'careless', version: '1.0.0', kernelApi: 1, ${members} }`;
      writeFileSync(place.path('careless.mjs'), `export const careless = ${plugin};`);
      const { exitCode, stdout, stderr } = await place.runApart(['start', '--config', 'node.json'], { SVC_PORT: '0' });

      for (const pattern of said) expect(stderr).to.match(pattern);
      expect(stderr).not.to.contain('this is a bug').and.not.to.contain(STACK);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
    });
  }

  it('and the failing line of its setup is shown only at log level debug', async () => {
    writeFileSync(
      place.path('careless.mjs'),
      "export const careless = { name: 'careless', version: '1.0.0', kernelApi: 1, setup() { throw new Error('no luck'); } };",
    );
    const env = { SVC_PORT: '0', SVC_LOG_LEVEL: 'debug' };
    const { stderr } = await place.runApart(['start', '--config', 'node.json'], env);
    const line = stderr.split('\n').find((each) => each.includes('a plugin failed in setup')) ?? '{}';

    const { level, plugin, error } = JSON.parse(line) as Record<string, unknown>;
    expect({ level, plugin }).to.deep.equal({ level: 'debug', plugin: 'careless' });
    expect((error as { stack: string }).stack).to.contain('careless.mjs');
  });
});
