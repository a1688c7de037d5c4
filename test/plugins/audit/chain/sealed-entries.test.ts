import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { convertTexts } from '../../../../config/convert-texts.ts';
import { openOrKeepStored } from '../../../../kernel/store/content-border.ts';
import { Audit } from '../../../../plugins/audit/audit-api.ts';
import { auditContents } from '../../../../plugins/audit/audit-migrations.ts';
import { FactStore, type Row } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { memoryKeySource, openContentSeal } from '../../../kit/content-seal.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { contentKeysIn, OPERATOR_KEY, type TestNode } from '../../../kit/start-test-node.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import { auditorOf, checkpointed, recordActs, startAuditNode, verified } from './audit-chain-node.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
const CANARY = 'canary-7c1e40';
const TABLES = ['audit_entries', 'audit_checkpoints', 'audit_stubs'] as const;

type Copy = Readonly<Record<string, readonly Row[]>>;

forEachStore('the audit log of a sealed node', (kind) => {
  let folder: string;
  let node: TestNode;
  const start = async (retentionDays = RETENTION_DAYS): Promise<void> => {
    const clock = node === undefined ? {} : { clock: node.clock };
    const settings = { audit: { retentionDays } };
    node = await startAuditNode({ plugins: ['audit', 'node-info'], isSealed: true, folder, settings, ...clock });
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sealed-entries-'));
    await start();
  });
  afterEach(async () => {
    await node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const passDays = (days: number): void => node.clock.setNowMs(node.clock.nowMs() + days * DAY_MS);
  const turns = async (count: number): Promise<void> => {
    const store = node.kernel.get(FactStore);
    for (let turn = 0; turn < count; turn += 1) await store.endPeriods?.({ tables: ['audit_entries'], everyMs: 0 });
  };
  const copy = async (): Promise<Copy> =>
    node.kernel.get(FactStore).read(async (snapshot) => {
      const rows: Record<string, readonly Row[]> = {};
      for (const table of TABLES) rows[table] = await snapshot.table(table).select('*');
      return rows;
    });
  /** Puts the tables of the log of a backup in the place of the present ones, while the node is stopped. */
  const restore = async (backup: Copy): Promise<void> => {
    const store = (await placeTestStore(kind, folder)).open();
    await store.write('default', async (transaction) => {
      for (const table of TABLES) {
        await transaction.table(table).delete();
        const rows = backup[table] ?? [];
        if (rows.length > 0) await transaction.insertRows(table, rows);
      }
    });
    await store.close();
  };
  const startOver = async (backup: Copy, { retentionDays = RETENTION_DAYS } = {}): Promise<void> => {
    await node.stop();
    await restore(backup);
    await start(retentionDays);
  };
  /** Returns the details that a thief of a copy reads with the key of the operator and the present file of keys. */
  const stolen = async ({ audit_entries: rows = [] }: Copy): Promise<string[]> => {
    const seal = await openContentSeal({ path: contentKeysIn(folder), source: memoryKeySource(OPERATOR_KEY) });
    return rows.flatMap((row) =>
      ['detail', 'detail_salt'].flatMap((column) => {
        const text = String(row[column]);
        const place = { tenantId: String(row['tenant_id']), table: 'audit_entries', column, row: '' };
        const opened = openOrKeepStored(text, () => seal.openText(place, text));
        return opened === text ? [] : [opened];
      }),
    );
  };
  const deleted = async (count: number): Promise<void> => {
    await comesTrue(async () => {
      if ((await verified(node)).stub?.['count'] === count) return true;
      await node.clock.advance(10_000);
      return false;
    });
  };
  const details = async (): Promise<(string | null)[]> =>
    (await node.kernel.get(Audit).log(auditorOf(), {})).entries.map(({ detail }) => detail);

  it('opens to a thief of a copy until the retention and two more periods are over, and holds all the time', async () => {
    await turns(1);
    await recordActs(node, [CANARY, 'b']);
    await checkpointed(node);
    const thief = await copy();
    await turns(3);
    expect((await stolen(thief)).join()).to.include(CANARY);
    passDays(20);
    await recordActs(node, ['young']);
    await checkpointed(node);
    await turns(3);
    expect((await verified(node)).checked).to.equal(3);
    passDays(20);
    await deleted(2);
    expect((await stolen(thief)).join()).to.include(CANARY);
    await turns(2);
    expect(await stolen(thief)).to.deep.equal([]);
    expect(await verified(node)).to.include({ problem: undefined, checked: 1, detailsGone: 0 });
    expect(await details()).to.deep.equal(['{"name":"young"}']);
    await node.stop();
    await start();
    await recordActs(node, ['later']);
    await checkpointed(node);
    expect(await verified(node)).to.include({ problem: undefined, checked: 2, detailsGone: 0 });
  });

  it('hashes equal details differently in each entry, and seals details and salts', async () => {
    await recordActs(node, ['same', 'same']);
    const { audit_entries: rows = [] } = await copy();
    expect(new Set(rows.map(({ detail_hash: hash }) => hash)).size).to.equal(2);
    for (const column of ['detail', 'detail_salt']) {
      for (const row of rows) expect(String(row[column])).to.match(/^sealed:1:/);
    }
  });

  it('holds after the restore of a backup from before the retention, counts gone details, and deletes them', async () => {
    await turns(1);
    await recordActs(node, ['a', 'b']);
    await checkpointed(node);
    passDays(20);
    await turns(3);
    await recordActs(node, ['young']);
    const backup = await copy();
    passDays(20);
    await deleted(2);
    await turns(3);
    await startOver(backup);
    expect(await verified(node)).to.include({ problem: undefined, checked: 3, detailsGone: 2 });
    expect(await details()).to.deep.equal([null, null, '{"name":"young"}']);
    await deleted(2);
    expect(await verified(node)).to.include({ problem: undefined, checked: 1, detailsGone: 0 });
  });

  it('continues after a restored backup whose details are all gone', async () => {
    await recordActs(node, ['a', 'b']);
    await checkpointed(node);
    const backup = await copy();
    await turns(3);
    await recordActs(node, ['c']);
    await checkpointed(node);
    passDays(40);
    await deleted(3);
    await turns(3);
    await startOver(backup);
    await recordActs(node, ['d']);
    await deleted(2);
    await checkpointed(node);
    expect(await verified(node)).to.include({ problem: undefined, checked: 1 });
    expect(await details()).to.deep.equal(['{"name":"d"}']);
  });

  it('holds while entries of a restored backup are gone, and the store is sealed with new keys', async () => {
    await turns(1);
    await recordActs(node, ['a', 'b']);
    passDays(20);
    await turns(3);
    await recordActs(node, ['young']);
    await checkpointed(node);
    const backup = await copy();
    passDays(20);
    await deleted(2);
    await turns(3);
    await node.stop();
    await restore(backup);
    const seal = await openContentSeal({ path: contentKeysIn(folder), source: memoryKeySource(OPERATOR_KEY) });
    const store = (await placeTestStore(kind, folder)).open();
    const conversion = { from: seal, to: seal, former: seal };
    await store.write('default', async (transaction) => {
      for (const columns of auditContents) await convertTexts(transaction, columns, undefined, 100, conversion);
    });
    await store.close();
    await start();
    expect(await verified(node)).to.include({ problem: undefined, checked: 3, detailsGone: 2 });
    expect(await details()).to.deep.equal([null, null, '{"name":"young"}']);
    await deleted(2);
    expect(await verified(node)).to.include({ problem: undefined, checked: 1, detailsGone: 0 });
  });

  it('does not hold where a detail is gone that the retention of today would keep', async () => {
    await recordActs(node, ['a']);
    await checkpointed(node);
    const backup = await copy();
    passDays(40);
    await deleted(1);
    await turns(3);
    await startOver(backup, { retentionDays: 90 });
    expect((await verified(node)).problem?.reason).to.equal(
      'the detail of an entry does not open with the present keys',
    );
    await node.stop();
    await start();
    await deleted(1);
    expect((await verified(node)).problem).to.equal(undefined);
  });
});
