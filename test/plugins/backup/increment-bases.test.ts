import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { createFolderObjects } from '../../../adapters/files/folder-objects.ts';
import { recordChanges } from '../../../adapters/sqlite/record-changes.ts';
import { createIncrementSender, type IncrementSender } from '../../../plugins/backup/send-increments.ts';
import type { ObjectStore } from '../../../ports/ports.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { chainsIn, incrementsIn, restoredNotes } from './sent-increments.ts';

const LIMIT_MS = 120_000;
const DAY_MS = 86_400_000;

describe('the daily base of increments', () => {
  let folder: string;
  let target: string;
  let database: InstanceType<typeof DatabaseSync>;
  let sender: IncrementSender;
  let aheadMs: number;
  /** Holds back the second base that is sent. */
  let release: () => void;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bases-'));
    target = join(folder, 'target');
    mkdirSync(join(folder, 'store'));
    database = new DatabaseSync(join(folder, 'store', 'svc.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)');
    aheadMs = 0;
    sender = createIncrementSender(senderParts());
  });
  afterEach(async () => {
    release();
    await sender.stop();
    database.close();
    rmSync(folder, { recursive: true });
  });

  const nowMs = (): number => Date.now() + aheadMs;
  const senderParts = (): Parameters<typeof createIncrementSender>[0] => {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const objects = createFolderObjects(target);
    let bases = 0;
    const slow: ObjectStore = {
      ...objects,
      write: async (path, content, options) => {
        if (path.includes('/0000000000-')) bases += 1;
        if (path.includes('/0000000000-') && bases > 1) await released;
        await objects.write(path, content, options);
      },
    };
    const given = {
      copies: {
        recordChanges: (spool: string, options: Parameters<typeof recordChanges>[2]) =>
          recordChanges(join(folder, 'store', 'svc.db'), spool, { ...options, everyMs: 50 }),
        placeKeys: async () => undefined,
      },
      clock: { nowMs },
      random: { uuid: () => randomUUID() },
      objects: { open: async () => slow },
      config: { target, folder: join(folder, 'backups'), incrementSeconds: 5, keep: 7 },
      log: { warn: () => {} },
    };
    return given as unknown as Parameters<typeof createIncrementSender>[0];
  };
  const note = (text: string): void => {
    database.prepare('INSERT INTO notes VALUES (?)').run(text);
  };
  const chains = (): string[] => chainsIn(target);
  const reachedMs = (chain: string): number => Number(incrementsIn(target, chain).at(-1)?.split('-')[1] ?? 0);
  const restored = (atMs: number | null): Promise<string[]> =>
    restoredNotes({ target, into: mkdtempSync(join(folder, 'copy-')), atMs, nowMs: nowMs() });
  /** Writes a note, and resolves with a point in time that the chain has reached and that has the note. */
  const sent = async (text: string, chain: string): Promise<number> => {
    let atMs = 0;
    note(text);
    await waitUntil(`the increments hold "${text}"`, LIMIT_MS, async () => {
      note('tick');
      atMs = reachedMs(chain);
      return atMs > 0 && (await restored(atMs)).includes(text);
    });
    return atMs;
  };

  it('keeps no increment from the target while it is sent, and each moment of that time can be restored', async () => {
    note('before');
    void sender.run();
    await waitUntil('a chain begins', LIMIT_MS, () => chains().length === 1);
    const [former = ''] = chains();
    aheadMs = DAY_MS + 1;
    const moments = [await sent('after a day', former)];
    const written = ['before', 'after a day'];
    for (const text of ['one', 'two', 'three']) {
      moments.push(await sent(text, former));
      written.push(text);
      expect(await restored(null)).to.deep.equal(written);
      expect(chains(), 'the base of the next chain is on its way').to.deep.equal([former]);
    }
    release();
    await waitUntil('the next chain has its base', LIMIT_MS, () => chains().length === 2);
    const [, next = ''] = chains();
    moments.push(await sent('four', next));
    written.push('four');
    expect(await restored(null)).to.deep.equal(written);
    for (const [at, moment] of moments.entries()) {
      expect(await restored(moment), `moment ${at}`).to.deep.equal(written.slice(0, at + 2));
    }
    await waitUntil('the former chain has ended', LIMIT_MS, () => {
      note('tick');
      return reachedMs(next) > reachedMs(former) + 2_000;
    });
  }).timeout(LIMIT_MS);
});
