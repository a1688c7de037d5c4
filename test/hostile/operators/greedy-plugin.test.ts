import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { all, factAppended, type PluginTables, readConstrain } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Store methods that a plugin must not call, as a JavaScript plugin might try them. */
const FORBIDDEN: readonly (readonly [member: string, ...given: readonly unknown[]])[] = [
  ['table', 'facts'],
  ['select', 'keys_keys', {}],
  ['insertRows', 'node_settings', [{ key: 'grabbed', value: '' }]],
  ['insert', []],
  ['insertNew', []],
  ['lockClock'],
  ['saveClock', { wallMs: 9e15, counter: 0 }],
  ['beginEpoch', '00000000-0000-4000-8000-000000000000'],
  ['signal', 'leases released'],
];
const FOREIGN_TABLES = ['facts', 'feed', 'node_clock', 'node_settings', 'keys_keys'];

forEachStore('A plugin tries to access foreign tables in a snapshot or a transaction', () => {
  let node: TestNode;
  const outcomes: string[] = [];

  const grab = async (what: string, work: () => unknown): Promise<void> => {
    try {
      await work();
      outcomes.push(`${what}: taken`);
    } catch (error) {
      outcomes.push(`${what}: ${error instanceof Error ? 'refused' : 'thrown'}`);
    }
  };
  const grabAll = async (from: object, tables: PluginTables): Promise<void> => {
    for (const [member, ...given] of FORBIDDEN) {
      const grabbed = from as Record<string, (...given: readonly unknown[]) => unknown>;
      await grab(member, () => (grabbed[member] as () => unknown)(...(given as [])));
    }
    for (const name of FOREIGN_TABLES) await grab(name, () => tables.in(from as never)(name));
    // A transaction object that the plugin forged itself.
    const forged = { select: () => [], table: () => [], insertRows: () => undefined };
    await grab('forged', () => tables.in(forged as never)('greedy_rows'));
    const copied = Object.create(Object.getPrototypeOf(from), Object.getOwnPropertyDescriptors(from)) as object;
    await grab('copied', () => tables.in(copied as never)('greedy_rows'));
  };

  before(async () => {
    const greedy = defineOwnPlugin({
      name: 'greedy',
      setup({ on, tables }) {
        on(factAppended, async ({ transaction }) => {
          await grabAll(transaction, tables);
          return [];
        });
        on(readConstrain, async ({ snapshot, view }) => {
          if (view === 'visible') await grabAll(snapshot, tables);
          return all();
        });
      },
    });
    node = await startTestNode({ plugins: ['facts', 'keys', greedy] });
  });
  after(() => node?.stop());
  beforeEach(() => outcomes.splice(0));

  const refused = () => [
    ...FORBIDDEN.map(([member]) => `${member}: refused`),
    ...FOREIGN_TABLES.map((name) => `${name}: refused`),
    'forged: refused',
    'copied: refused',
  ];

  it('in the transaction of an append, and the fact is still stored', async () => {
    const key = await node.addKey();
    const fact = { entity: 'user:a', relation: 'likes', source: 'agent:a', confidence: 1, scope: 'local' };
    const body = { ...fact, value: { type: 'string', v: 'tea' } };
    const { status, body: answer } = await node.request('POST', '/v1/facts', { key, body });
    expect(status, JSON.stringify(answer)).to.equal(201);
    expect(outcomes.slice(0, refused().length)).to.deep.equal(refused());
    expect(outcomes.filter((outcome) => !outcome.endsWith('refused'))).to.deep.equal([]);
  });

  it('through the snapshot of a read', async () => {
    const key = await node.addKey();
    const { status, body } = await node.request('GET', '/v1/facts', { key });
    expect([status, body.total]).to.deep.equal([200, 1]);
    expect(outcomes.slice(0, refused().length)).to.deep.equal(refused());
  });
});
