import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { FactStore, LedgerEntry, MigrationSchema, OwnedMigration, StoredFact } from '../../ports/ports.ts';
import { all } from '../../ports/ports.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { inSmallSteps, loadOldStore, type OldStore, type Recording, readRecording } from './load-old-store.ts';

type OldRow = Readonly<Record<string, string | number | null>>;

const rowsOf = ({ tables }: Recording, table: string): readonly OldRow[] => (tables[table] ?? []) as readonly OldRow[];

interface Contents {
  readonly facts: readonly StoredFact[];
  readonly entries: readonly LedgerEntry[];
  readonly tables: readonly string[];
}

const contentsOf = (store: FactStore): Promise<Contents> =>
  store.read(async (snapshot) => ({
    facts: await snapshot.find({ filter: all(), order: 'feed', limit: 1_000 }),
    entries: await snapshot.ledger({ tenantId: 'default', order: 'oldest', limit: 1_000 }),
    tables: (await store.tables()).filter((table) => !table.startsWith('search_')),
  }));

/** Without what chance has a part in. */
const withoutChance = ({ facts, entries, tables }: Contents) => ({
  facts,
  tables,
  entries: entries.map(({ salt, link, ...entry }) => ({ ...entry, salt: salt?.length, seq: link?.seq })),
});

/** Lets one call of a migration fail, counted in each of its transactions from the first one on. */
class Fault {
  #left = 0;

  armed({ prepare, up, ...migration }: OwnedMigration, call: number): OwnedMigration {
    const failing = (schema: MigrationSchema): MigrationSchema => {
      this.#left = call;
      return this.#watched({ ...schema, schema: schema.schema, data: this.#watched(schema.data) });
    };
    return {
      ...migration,
      prepare: async (schema, progress) => (await prepare?.(failing(schema), progress)) ?? true,
      up: (schema) => up(failing(schema)),
    };
  }

  #watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          this.#left -= 1;
          if (this.#left === 0) throw new Error('the process ends here');
          return member.apply(target, args);
        };
      },
    });
  }
}

let old: OldStore | undefined;
let store: FactStore | undefined;

const removeStore = async (): Promise<void> => {
  await store?.close();
  await old?.remove();
};

forEachStore('the copy of the facts of an older store', () => {
  afterEach(removeStore);
  const open = async (recording: Recording): Promise<FactStore> => {
    old = await loadOldStore(recording);
    store = old.open();
    return store;
  };

  it('keeps the numbers of a log that has an entry for each fact', async () => {
    const recording = await readRecording('plain');
    const opened = await open(recording);
    await opened.migrate(await inSmallSteps());
    const { entries } = await contentsOf(opened);
    const audited = rowsOf(recording, 'audit_entries').filter((row) => row['event_type'] === 'fact_write');
    expect(
      entries.map(({ number, factId, writer, writerSub, source }) => ({ number, factId, writer, writerSub, source })),
    ).to.deep.equal(
      audited.map((row) => ({
        number: row['seq'],
        factId: row['fact_id'],
        writer: row['entity_uri'],
        writerSub: row['oidc_sub'],
        source: row['source'],
      })),
    );
    const last = rowsOf(recording, 'audit_entries').at(-1)?.['seq'];
    const head = await opened.read((snapshot) => snapshot.ledgerHead('default'));
    expect(head.number).to.equal(last);
    expect(head.newest?.number).to.equal(entries.at(-1)?.number);
    expect(head.linked?.link).to.deep.equal(entries.at(-1)?.link);
  });

  it('numbers all facts in the order of the feed, and leaves room for every other entry', async () => {
    const recording = await readRecording('patchy');
    const opened = await open(recording);
    await opened.migrate(await inSmallSteps());
    const { facts, entries } = await contentsOf(opened);
    expect(entries.map(({ factId }) => factId)).to.deep.equal(facts.map(({ id }) => id));
    const numbers = new Map(entries.map(({ factId, number }) => [factId, number]));
    const taken = new Set(numbers.values());
    expect(taken.size).to.equal(facts.length);
    let last = 0;
    for (const row of rowsOf(recording, 'audit_entries')) {
      const number = numbers.get(String(row['fact_id'])) ?? Math.max(last + 1, Number(row['seq']));
      expect(number).to.be.above(last).and.at.least(Number(row['seq']));
      if (row['fact_id'] === null) expect(taken.has(number)).to.equal(false);
      last = number;
    }
    expect((await opened.read((snapshot) => snapshot.ledgerHead('default'))).number).to.be.at.least(last);
  });

  it('tells what was charged for, gives every fact a salt and links them all', async () => {
    const recording = await readRecording('patchy');
    const opened = await open(recording);
    await opened.migrate(await inSmallSteps());
    const { entries } = await contentsOf(opened);
    const billed = rowsOf(recording, 'billing_events').flatMap((row) => row['fact_id'] ?? []);
    expect(entries.filter(({ tags }) => tags.includes('billing')).map(({ factId }) => factId)).to.deep.equal(billed);
    expect(new Set(entries.map(({ salt }) => Buffer.from(salt ?? []).toString('hex'))).size).to.equal(entries.length);
    expect(entries.map(({ link }) => link?.seq)).to.deep.equal(entries.map((_, at) => at + 1));
  });

  it('goes on where it was interrupted, whatever statement was the last, and comes to the same', async () => {
    const recording = await readRecording('patchy');
    const whole = await open(recording);
    const migrations = await inSmallSteps();
    await whole.migrate(migrations);
    const expected = withoutChance(await contentsOf(whole));
    await whole.close();
    await old?.remove();

    const interrupted = await open(recording);
    const [last] = migrations.slice(-1) as [OwnedMigration];
    const fault = new Fault();
    let reached = '';
    let call = 1;
    const interruptions = new Set<string>();
    for (;;) {
      let line = reached;
      const onProgress = (told: string) => {
        line = told;
      };
      const attempt = interrupted.migrate([...migrations.slice(0, -1), fault.armed(last, call)], { onProgress });
      const error = await attempt.then(
        () => undefined,
        (failure: Error) => failure,
      );
      if (error === undefined) break;
      expect(error.message).to.equal('the process ends here');
      interruptions.add(`${line} ${call}`);
      // Once a step is behind us, the next one is stopped at each of its calls.
      call = line === reached ? call + 1 : 1;
      reached = line;
    }
    expect(interruptions.size).to.be.above(50);
    expect(withoutChance(await contentsOf(interrupted))).to.deep.equal(expected);
  });

  it('tells how far it is, and lets no process of the older version write meanwhile', async () => {
    const recording = await readRecording('plain');
    const opened = await open(recording);
    const lines: string[] = [];
    const migrations = await inSmallSteps();
    const [last] = migrations.slice(-1) as [OwnedMigration];
    const unfinished = { ...last, up: () => Promise.reject(new Error('the process ends here')) };
    const onProgress = (line: string) => lines.push(line);
    await rejection(opened.migrate([...migrations.slice(0, -1), unfinished], { onProgress }));
    expect(lines.slice(0, 3)).to.deep.equal([
      'migration 042_one_row: 0 of 41 facts',
      'migration 042_one_row: 9 of 41 facts',
      'migration 042_one_row: 18 of 41 facts',
    ]);
    expect(lines.at(-1)).to.match(/^migration 042_one_row: (\d+) of \1 indexes$/);
    const { seq: _, ...fact } = rowsOf(recording, 'facts')[0] ?? {};
    const rows = { facts: fact, audit_entries: rowsOf(recording, 'audit_entries')[0] ?? {} };
    for (const [table, row] of Object.entries(rows)) {
      const refused = await rejection(opened.write('default', (transaction) => transaction.insertRows(table, [row])));
      expect(String(refused.message) + String(refused.cause)).to.include('the store is being upgraded');
    }
  });
});

describe('the copy of the facts in a process that is killed after each of its steps', () => {
  afterEach(removeStore);

  it('loses nothing and doubles nothing', async () => {
    const recording = await readRecording('patchy');
    old = await loadOldStore(recording);
    const kills: string[] = [];
    // A step that is behind us is told once more by the process that finds it done.
    for (let steps = 1; ; steps = kills.at(-1) === kills.at(-2) ? 2 : 1) {
      const { signal, stdout } = spawnSync(process.execPath, [PROCESS, join(old.folder, 'node.db'), String(steps)]);
      if (signal === null) break;
      expect(signal).to.equal('SIGKILL');
      kills.push(String(stdout));
    }
    expect(new Set(kills).size).to.be.above(10);
    store = old.open();
    const killed = withoutChance(await contentsOf(store));
    await store.close();
    await old.remove();
    old = await loadOldStore(recording);
    store = old.open();
    await store.migrate(await inSmallSteps());
    expect(killed).to.deep.equal(withoutChance(await contentsOf(store)));
  });
});

const PROCESS = fileURLToPath(new URL('./upgrade-process.js', import.meta.url));
