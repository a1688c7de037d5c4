import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import type { Migration } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const withMigrations = (name: string, ...migrations: readonly Migration[]): AnyPlugin =>
  defineOwnPlugin({ name, migrations, setup: () => undefined });

const migrate = (up: Migration['up']): Promise<Error> =>
  rejection(startTestNode({ plugins: [withMigrations('acme-notes', { number: 900, name: 'try', up })] }));

forEachStore('migrations of plugins', () => {
  it('create tables with the prefix of the plugin, in one chain or in several, and see no other tables', async () => {
    let seen: readonly string[] = [];
    const node = await startTestNode({
      plugins: [
        withMigrations('acme-notes', {
          number: 900,
          name: 'notes',
          async up({ schema, raw, tables, hasColumn }) {
            await schema.createTable('acme_notes_one', (table) => table.text('id').primary());
            await schema
              .createTable('acme_notes_two', (table) => table.integer('seen'))
              .alterTable('acme_notes_one', (table) => table.text('more'));
            await raw('create unique index acme_notes_once on acme_notes_two (seen) where seen > 0');
            seen = await tables();
            expect(await hasColumn('acme_notes_one', 'more')).to.equal(true);
            expect(await schema.hasTable('acme_notes_two')).to.equal(true);
          },
        }),
      ],
    });
    expect(seen).to.deep.equal(['acme_notes_one', 'acme_notes_two']);
    const tables = await node.kernel.get(FactStore).tables();
    expect(tables).to.include.members(['acme_notes_one', 'acme_notes_two', 'facts', 'node_settings']);
    await node.stop();
  });

  const forbidden: Readonly<Record<string, Migration['up']>> = {
    'create a table of another name': async ({ schema }) => schema.createTable('notes', () => undefined),
    'change a table of the core': async ({ schema }) => schema.alterTable('facts', (table) => table.text('x')),
    'drop a table of the core': async ({ schema }) => schema.dropTable('facts'),
    'drop it at the end of a chain': async ({ schema }) =>
      schema.createTable('acme_notes_x', (table) => table.text('id')).dropTable('facts'),
    'rename a table of the core': async ({ schema }) => schema.renameTable('facts', 'acme_notes_facts'),
    'rename a table into the core': async ({ schema }) => schema.renameTable('acme_notes_x', 'facts'),
    'use raw SQL': async ({ raw }) => raw('drop table facts'),
    'hide raw SQL behind an index': async ({ raw }) =>
      raw('create index acme_notes_i on acme_notes_x (id); drop table facts'),
    'index a table of the core': async ({ raw }) => raw('create index acme_notes_i on facts (id)'),
    'use raw SQL through the builder': async ({ schema }) => schema.raw('drop table facts'),
    'look into a table of the core': async ({ hasColumn }) => void (await hasColumn('facts', 'id')),
  };
  for (const [what, up] of Object.entries(forbidden)) {
    it(`cannot ${what}`, async () => {
      expect((await migrate(up)).message).to.match(
        /^plugin "acme-notes": migration 900 try failed: (?:a migration|raw SQL)/,
      );
    });
  }

  it('are undone completely when one of them fails', async () => {
    const failing = withMigrations('acme-notes', {
      number: 900,
      name: 'half',
      async up({ schema }) {
        await schema.createTable('acme_notes_half', (table) => table.text('id'));
        throw new Error('stopped half way');
      },
    });
    const sound = await startTestNode({ plugins: [] });
    const { folder } = sound;
    expect(
      (await rejection(startTestNode({ plugins: [failing], folder, url: 'http://other.example' }))).message,
    ).to.include('stopped half way');
    expect(await sound.kernel.get(FactStore).tables()).not.to.include('acme_notes_half');
    await sound.stop();
  });

  it('that take long are prepared in steps, under the same rules, with progress in the log', async () => {
    const clock = createManualClock();
    let steps = 0;
    const long: Migration = {
      number: 900,
      name: 'long',
      async prepare({ tables }, progress) {
        expect(await tables()).to.deep.equal([]);
        steps += 1;
        progress(steps * 1_000, 8_000, 'notes');
        await clock.advance(1_000);
        return steps === 8;
      },
      up: async () => undefined,
    };
    const node = await startTestNode({ plugins: [withMigrations('acme-notes', long)], clock });
    const told = node.logLines.filter(({ message }) => message.startsWith('migration')).map(({ message }) => message);
    expect(told).to.deep.equal([
      'migration 900_long: 3,000 of 8,000 notes',
      'migration 900_long: 6,000 of 8,000 notes',
    ]);
    await node.stop();
    const reaching: Migration = {
      number: 901,
      name: 'reach',
      prepare: async ({ hasColumn }) => hasColumn('facts', 'id'),
      up: async () => undefined,
    };
    expect((await rejection(startTestNode({ plugins: [withMigrations('acme-notes', reaching)] }))).message).to.match(
      /^plugin "acme-notes": migration 901 reach failed: a migration touches only tables/,
    );
  });

  it('are refused if two have one number, the core included', async () => {
    const up = async () => undefined;
    const error = await rejection(
      startTestNode({
        plugins: [
          withMigrations('first', { number: 900, name: 'a', up }, { number: 11, name: 'b', up }),
          withMigrations('second', { number: 900, name: 'c', up }),
        ],
      }),
    );
    expect(error.message).to.include('migration 900 exists twice: a of first and c of second');
    expect(error.message).to.include('migration 11 exists twice: facts_garden_attested of core and b of first');
  });

  it('are refused if their number is not a positive whole number', async () => {
    const up = async () => undefined;
    for (const number of [0, -1, 1.5, Number.NaN]) {
      const error = await rejection(startTestNode({ plugins: [withMigrations('first', { number, name: 'a', up })] }));
      expect(error.message).to.include('first has a migration without a positive whole number');
    }
  });
});
