import { copyFileSync, createReadStream, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { assembleFile } from '../../../adapters/sqlite/assemble-file.ts';
import { recordChanges } from '../../../adapters/sqlite/record-changes.ts';
import type { AssembledStore, ChangeRecorder, IncrementFile } from '../../../ports/ports.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const LIMIT_MS = 120_000;

describe('recorded changes of an SQLite store', () => {
  let folder: string;
  let database: InstanceType<typeof DatabaseSync>;
  let recorder: ChangeRecorder;
  let increments: IncrementFile[];
  const path = (): string => join(folder, 'store', 'svc.db');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'recorded-'));
    for (const name of ['store', 'spool']) mkdirSync(join(folder, name));
    database = new DatabaseSync(path());
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 40');
    database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX texts ON things (text)');
    increments = [];
  });
  afterEach(async () => {
    await recorder.stop();
    database.close();
    rmSync(folder, { recursive: true });
  });

  const record = (chain = 'one'): void => {
    const onIncrement = (increment: IncrementFile): number => increments.push(increment);
    recorder = recordChanges(path(), join(folder, 'spool'), { chain, everyMs: 50, goesOn: true, onIncrement });
  };
  const increased = async (): Promise<void> => {
    const before = increments.length;
    await waitUntil('an increment is written', LIMIT_MS, () => increments.length > before);
  };
  const write = (at: number): void => {
    database.exec('BEGIN');
    const insert = database.prepare('INSERT INTO things (text) VALUES (?)');
    for (let row = 0; row < (at % 7 === 0 ? 2_000 : 5); row += 1)
      insert.run(`thing ${at} ${row} ${'x'.repeat(at * 30)}`);
    if (at % 3 === 0) database.exec(`DELETE FROM things WHERE id % 5 = ${at % 5}`);
    database.exec(at % 4 === 1 ? 'ROLLBACK' : 'COMMIT');
  };
  const assemble = (untilMs: number, chain = 'one'): Promise<AssembledStore> => {
    const names = increments.filter((increment) => increment.chain === chain).map(({ name }) => name);
    const into = mkdtempSync(join(folder, 'copy-'));
    const each = async function* () {
      for (const name of names) yield { name, content: createReadStream(join(folder, 'spool', chain, name)) };
    };
    return assembleFile({ chain, increments: each(), untilMs, folder: into });
  };
  const rowsIn = (file: string): unknown[] => {
    const copy = new DatabaseSync(file);
    const rows = copy.prepare('SELECT id, text FROM things ORDER BY id').all();
    copy.close();
    return rows;
  };
  const newestCopy = (): string => {
    const copies = readdirSync(folder).filter((name) => name.startsWith('copy-'));
    expect(copies).to.have.length(1);
    return join(folder, copies[0] ?? '', 'store.db');
  };

  it('bring back the store although its log begins anew, is cut, and rolls back meanwhile', async () => {
    write(2);
    record();
    await increased();
    for (let at = 0; at < 40; at += 1) {
      write(at);
      if (at % 10 === 9) {
        await increased();
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      }
      if (at === 25) database.exec('VACUUM');
    }
    await recorder.stop();
    expect(increments.map(({ number }) => number)).to.deep.equal(increments.map((_, at) => at));
    const written = readdirSync(join(folder, 'spool', 'one')).filter((name) => name !== 'state');
    expect(written.sort()).to.deep.equal(increments.map(({ name }) => name));
    await assemble(Number.MAX_SAFE_INTEGER);
    expect(rowsIn(newestCopy())).to.deep.equal(rowsIn(path()));
  }).timeout(LIMIT_MS);

  it('go on when another connection empties the log, and the next writer begins it with a salt of its own', async () => {
    write(2);
    record();
    await increased();
    const other = new DatabaseSync(path());
    await waitUntil('the log is emptied', LIMIT_MS, () => {
      const [row] = other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all() as { readonly busy: number }[];
      return row?.busy === 0;
    });
    other.close();
    write(3);
    await increased();
    await recorder.stop();
    await recorder.ended;
    await assemble(Number.MAX_SAFE_INTEGER);
    expect(rowsIn(newestCopy())).to.deep.equal(rowsIn(path()));
  }).timeout(LIMIT_MS);

  it('end when another file takes the place of the log, because commits may be missing', async () => {
    write(2);
    record();
    await increased();
    renameSync(`${path()}-wal`, `${path()}-former`);
    copyFileSync(`${path()}-former`, `${path()}-wal`);
    const failure = await recorder.ended.then(
      () => undefined,
      (error: Error) => error,
    );
    expect(String((failure?.cause as Error | undefined)?.message)).to.include('the log of the store was replaced');
  }).timeout(LIMIT_MS);

  it('bring back the store as of an earlier moment', async () => {
    record();
    await increased();
    write(2);
    await increased();
    const [former, untilMs] = [rowsIn(path()), increments.at(-1)?.untilMs ?? 0];
    write(3);
    await increased();
    await recorder.stop();
    await assemble(untilMs);
    expect(rowsIn(newestCopy())).to.deep.equal(former);
    expect(rowsIn(path())).to.not.deep.equal(former);
  }).timeout(LIMIT_MS);

  it('go on in a chain while a further one begins, and either brings back the store', async () => {
    write(2);
    record();
    await increased();
    recorder.begin('two');
    await waitUntil('a further chain begins', LIMIT_MS, () => {
      write(increments.length + 2);
      return increments.some(({ chain, number }) => chain === 'two' && number > 1);
    });
    const ofOne = (): number => increments.filter(({ chain }) => chain === 'one').length;
    expect(ofOne()).to.be.greaterThan(1);
    const copies = new Set<string>();
    const assembled = async (chain: string): Promise<unknown[]> => {
      await assemble(Number.MAX_SAFE_INTEGER, chain);
      const copy = readdirSync(folder).find((name) => name.startsWith('copy-') && !copies.has(name)) ?? '';
      copies.add(copy);
      return rowsIn(join(folder, copy, 'store.db'));
    };
    await increased();
    recorder.end('one');
    write(3);
    await recorder.stop();
    expect(await assembled('two')).to.deep.equal(rowsIn(path()));
    expect(await assembled('one')).to.not.have.length(0);
  }).timeout(LIMIT_MS);

  it('are recorded by one process at a time, and by the next one as soon as that has ended', async () => {
    record();
    await increased();
    const spool = join(folder, 'other');
    mkdirSync(spool);
    const found: IncrementFile[] = [];
    const other = (): ChangeRecorder =>
      recordChanges(path(), spool, {
        chain: 'other',
        everyMs: 50,
        goesOn: true,
        onIncrement: (increment) => found.push(increment),
      });
    const refused = await other().ended.then(
      () => undefined,
      (error: { readonly code?: string }) => error.code,
    );
    expect([refused, found]).to.deep.equal(['conflict', []]);
    await recorder.stop();
    recorder = other();
    await waitUntil('another one records', LIMIT_MS, () => found.length > 0);
  }).timeout(LIMIT_MS);

  it('keep no commit from the file for longer than a look', async () => {
    record();
    await increased();
    write(7);
    await increased();
    await waitUntil('the log is moved into the file', LIMIT_MS, () => {
      const [row] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all() as { readonly busy: number }[];
      return row?.busy === 0;
    });
  }).timeout(LIMIT_MS);
});
