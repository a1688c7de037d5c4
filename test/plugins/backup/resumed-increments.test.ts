import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { createFolderObjects } from '../../../adapters/files/folder-objects.ts';
import { recordChanges } from '../../../adapters/sqlite/record-changes.ts';
import { createIncrementSender, type IncrementSender } from '../../../plugins/backup/send-increments.ts';
import { rejection } from '../../kit/rejection.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { chainsIn, incrementsIn, restoredNotes } from './sent-increments.ts';

const LIMIT_MS = 120_000;
const LATE_MS = 400_000;

describe('increments after a restart', () => {
  let folder: string;
  let target: string;
  let database: InstanceType<typeof DatabaseSync>;
  let senders: IncrementSender[];
  let warnings: { readonly message: string; readonly error: unknown }[];
  let aheadMs: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restarted-'));
    target = join(folder, 'target');
    for (const name of ['store', 'backups']) mkdirSync(join(folder, name));
    database = new DatabaseSync(storePath());
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)');
    senders = [];
    warnings = [];
    aheadMs = 0;
  });
  afterEach(async () => {
    for (const sender of senders) await sender.stop();
    database.close();
    rmSync(folder, { recursive: true });
  });

  const storePath = (): string => join(folder, 'store', 'svc.db');
  const nowMs = (): number => Date.now() + aheadMs;
  const createSender = (): IncrementSender => {
    const given = {
      copies: {
        recordChanges: (spool: string, options: Parameters<typeof recordChanges>[2]) =>
          recordChanges(storePath(), spool, { ...options, everyMs: 50 }),
        placeKeys: async () => undefined,
      },
      clock: { nowMs },
      random: { uuid: () => randomUUID() },
      objects: { open: async () => createFolderObjects(target) },
      config: { target, folder: join(folder, 'backups'), incrementSeconds: 5, keep: 7 },
      log: { warn: (message: string, { error }: { error: unknown }) => warnings.push({ message, error }) },
    };
    const sender = createIncrementSender(given as unknown as Parameters<typeof createIncrementSender>[0]);
    senders.push(sender);
    return sender;
  };
  const note = (text: string): void => {
    database.prepare('INSERT INTO notes VALUES (?)').run(text);
  };
  const count = (): number => chainsIn(target).reduce((sum, chain) => sum + incrementsIn(target, chain).length, 0);
  /** Runs a sender until increments have reached the target, and stops it with everything sent. */
  const sendSome = async (text: string): Promise<void> => {
    const sender = createSender();
    void sender.run();
    note(text);
    const before = count();
    await waitUntil('increments are sent', LIMIT_MS, () => {
      note('tick');
      return count() > before + 1;
    });
    await sender.stop();
  };
  const restored = (atMs: number | null): Promise<string[]> =>
    restoredNotes({ target, into: mkdtempSync(join(folder, 'copy-')), atMs, nowMs: nowMs() });

  it('go on in the same chain without a base, and a time between is refused with those around it', async () => {
    await sendSome('one');
    const [chain = ''] = chainsIn(target);
    const endMs = Number(incrementsIn(target, chain).at(-1)?.split('-')[1]);
    note('while the node was away');
    await waitUntil('the clock goes on', LIMIT_MS, () => Date.now() > endMs + 1);
    await sendSome('two');
    expect(chainsIn(target)).to.deep.equal([chain]);
    expect(await restored(null)).to.deep.equal(['one', 'while the node was away', 'two']);
    const resumed = incrementsIn(target, chain).filter((name) => name.endsWith('-resumed'));
    expect(resumed).to.have.length(1);
    const beginMs = Number(resumed[0]?.split('-')[1]);
    expect(await restored(endMs)).to.deep.equal(['one']);
    const refused = await rejection(restored(endMs + 1));
    expect(String(refused)).to.include(`end at ${new Date(endMs).toISOString()}, and the next begin at `);
    expect(await restored(beginMs)).to.include('while the node was away');
  }).timeout(LIMIT_MS);

  it('begin a new chain if another copy of the store has already continued the former chain', async () => {
    await sendSome('one');
    const [chain = ''] = chainsIn(target);
    const last = incrementsIn(target, chain).at(-1) ?? '';
    const next = `${String(Number(last.split('-')[0]) + 1).padStart(10, '0')}-${last.split('-')[1]}`;
    copyFileSync(join(target, chain, last), join(target, chain, next));
    const former = incrementsIn(target, chain);
    const sender = createSender();
    void sender.run();
    note('two');
    await waitUntil('another chain begins', LIMIT_MS, () => {
      note('tick');
      return chainsIn(target).length > 1;
    });
    await sender.stop();
    expect(incrementsIn(target, chain), 'the former chain stays as it is').to.deep.equal(former);
    expect(await restored(null)).to.deep.equal(['one', 'two']);
  }).timeout(LIMIT_MS);

  it('begin a new chain when the end of the former one was removed from the target', async () => {
    await sendSome('one');
    const [chain = ''] = chainsIn(target);
    rmSync(join(target, chain, incrementsIn(target, chain).at(-1) ?? ''));
    const sender = createSender();
    void sender.run();
    await waitUntil('another chain begins', LIMIT_MS, () => chainsIn(target).length > 1);
    await sender.stop();
    expect(await restored(null)).to.deep.equal(['one']);
  }).timeout(LIMIT_MS);

  it('that another process keeps from the target make one warning with what to do, and their age grows', async () => {
    const sender = createSender();
    const holder = new DatabaseSync(`${storePath()}-recorder`);
    holder.exec('BEGIN EXCLUSIVE');
    const beforeMs = await sender.ageMs();
    await sender.run();
    expect(warnings, 'another process of the node may send them').to.deep.equal([]);
    aheadMs = LATE_MS;
    for (const _ of [1, 2]) await sender.run();
    expect((await sender.ageMs()) - beforeMs).to.be.at.least(LATE_MS);
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'no increments reach the target, and another process holds their lock',
    ]);
    expect((warnings[0]?.error as { hint?: string } | undefined)?.hint).to.include(`lsof ${storePath()}-recorder`);
    holder.exec('ROLLBACK');
    holder.close();
    void sender.run();
    await waitUntil('increments are sent', LIMIT_MS, () => count() > 0);
  }).timeout(LIMIT_MS);

  it('have the same age in every process of the node', async () => {
    const other = createSender();
    const createdMs = nowMs();
    void createSender().run();
    await waitUntil('increments are sent', LIMIT_MS, () => {
      note('tick');
      return count() > 0;
    });
    await other.run();
    await waitUntil('the other process knows what was sent', LIMIT_MS, async () => {
      note('tick');
      return nowMs() - (await other.ageMs()) > createdMs + 1;
    });
  }).timeout(LIMIT_MS);

  it('name the lock that cannot be used, and what to do', async () => {
    writeFileSync(`${storePath()}-recorder`, 'no database, but several bytes that somebody has left here '.repeat(20));
    const sender = createSender();
    await sender.run();
    const error = warnings[0]?.error as { readonly message?: string; readonly hint?: string } | undefined;
    expect(error?.message).to.equal(`the lock of the store, ${storePath()}-recorder, cannot be used`);
    expect(error?.hint).to.include('remove what is there');
  }).timeout(LIMIT_MS);
});
