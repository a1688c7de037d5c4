import {
  addCounts,
  ERASURE_START,
  type ErasurePosition,
  type ErasureSubject,
  othersGoFirst,
} from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type ErasureCounts,
  type FactErasure,
  type NodeSelf,
  type PluginTables,
  type Random,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { AuditLog } from '../../audit/audit-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import { withoutReason } from '../markers/marker-document.ts';
import type { Tombstone } from '../tombstones-api.ts';
import { TOMBSTONE_ERASURE } from '../tombstones-words.ts';
import { appendLine } from './erasure-journal.ts';
import { type ErasureReceipt, signReceipt } from './erasure-receipt.ts';
import { type ErasureRow, erasureOf, putErasure } from './erasure-row.ts';
import { subjectOf } from './erasure-subject.ts';

export interface RunParts {
  readonly tables: PluginTables;
  readonly erasure: FactErasure;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly audit: AuditLog | undefined;
  readonly isSealed: boolean;
  /** The path of the journal file, from which a restored store repeats its erasures. */
  readonly journal: string;
}

/** An error that rolls a transaction back and returns its result. */
class RolledBack extends Error {
  readonly piece: ErasurePiece;

  constructor(piece: ErasurePiece) {
    super('a piece of an erasure was only tried');
    this.piece = piece;
  }
}

/** Erases each batch and rolls it back, to count the data that an erasure would destroy. */
export const previewErasure = async (
  { tables, erasure }: Pick<RunParts, 'tables' | 'erasure'>,
  subject: ErasureSubject,
): Promise<ErasureCounts> => {
  let counts: ErasureCounts = {};
  // Skips the last sweeps, because the first ones were rolled back and the last ones would count their data again.
  for (let from: ErasurePosition | null = ERASURE_START; from !== null && from.phase !== 'last sweeps'; ) {
    const piece: ErasurePiece = await rolledBack(tables, erasure, subject, from);
    counts = addCounts([counts, piece.counts]);
    from = piece.next;
    await othersGoFirst();
  }
  return counts;
};

type ErasurePiece = Awaited<ReturnType<FactErasure['step']>>;

const rolledBack = async (
  tables: PluginTables,
  erasure: FactErasure,
  subject: ErasureSubject,
  from: ErasurePosition,
): Promise<ErasurePiece> => {
  try {
    return await tables.write(subject.tenantId, async (_own, transaction) => {
      throw new RolledBack(await erasure.step(subject, from, transaction));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.piece;
    throw error;
  }
};

/**
 * Completes an erasure and returns its receipt. It may be interrupted at any point and run again, also by several
 * processes at once.
 */
export const runErasure = async (
  parts: RunParts,
  tombstone: Tombstone,
  onProgress?: (facts: number) => void,
): Promise<ErasureReceipt> => {
  for (let row = await takePiece(parts, tombstone); row.state !== 'done'; row = await takePiece(parts, tombstone)) {
    onProgress?.(row.counts['facts'] ?? 0);
    const receipt = row.state === 'scrubbing' ? await finish(parts, tombstone, row) : undefined;
    if (receipt !== undefined) return receipt;
    await othersGoFirst();
  }
  return receiptOf(await current(parts, tombstone));
};

/** Erases the next batch, and returns the progress after it. */
const takePiece = ({ tables, erasure, clock }: RunParts, tombstone: Tombstone): Promise<ErasureRow> =>
  tables.write(tombstone.tenantId, async (own, transaction) => {
    const row = await erasureOf(own, nameOf(tombstone));
    if (row === undefined) throw notBegun();
    if (row.state !== 'running') return row;
    const { next, counts } = await erasure.step(subjectOf(tombstone, row.originNodeId), row.position, transaction);
    const after: ErasureRow = {
      ...row,
      counts: addCounts([row.counts, counts]),
      touchedMs: clock.nowMs(),
      ...(next === null ? { state: 'scrubbing' } : { position: next }),
    };
    await putErasure(own, after);
    return after;
  });

/**
 * Scrubs the files first, then writes the journal, then completes the erasure. Returns undefined if the erasure has
 * begun again in the meantime, for facts that came later.
 */
const finish = async (
  parts: RunParts,
  tombstone: Tombstone,
  scrubbed: ErasureRow,
): Promise<ErasureReceipt | undefined> => {
  const { tables, erasure, identity, audit, journal, isSealed } = parts;
  const receipt = await drawReceipt(parts, tombstone, { scrubbed, limits: await erasure.scrub() });
  if (receipt === undefined) return undefined;
  await appendLine(journal, { receipt, tombstone: isSealed ? withoutReason(tombstone, identity) : tombstone });
  return tables.write(tombstone.tenantId, async (own, transaction) => {
    const row = await erasureOf(own, nameOf(tombstone));
    if (row === undefined) throw notBegun();
    // Another process has completed this erasure in the meantime, so its receipt counts.
    if (row.state === 'done') return receiptOf(row);
    if (row.receipt?.id !== receipt.id) return undefined;
    await putErasure(own, { ...row, state: 'done', touchedMs: parts.clock.nowMs(), receipt });
    const detail = { tombstone_id: tombstone.id, scope: tombstone.scope, facts: row.counts['facts'] ?? 0 };
    const entry = {
      event: TOMBSTONE_ERASURE,
      tenantId: row.tenantId,
      entityUri: row.requestedBy,
      oidcSub: null,
      detail,
    };
    await audit?.record(entry, transaction);
    return receipt;
  });
};

/**
 * Stores the receipt before the journal gets it, or returns the one that is stored. So an erasure has one receipt,
 * although a process is killed after the journal, or several processes complete the erasure. Returns undefined if the
 * row is not the scrubbed one, because then the erasure has begun again.
 */
const drawReceipt = (
  { tables, clock, random, self, identity, isSealed }: RunParts,
  tombstone: Tombstone,
  { scrubbed, limits }: { readonly scrubbed: ErasureRow; readonly limits: readonly string[] },
): Promise<ErasureReceipt | undefined> =>
  tables.write(tombstone.tenantId, async (own) => {
    const row = await erasureOf(own, nameOf(tombstone));
    if (row === undefined) throw notBegun();
    if (row.receipt !== null) return row.receipt;
    if (row.state !== 'scrubbing' || row.touchedMs !== scrubbed.touchedMs) return undefined;
    const signing = { identity, nodeId: self.nodeId, uuid: random.uuid(), nowMs: clock.nowMs(), isSealed };
    const receipt = signReceipt(tombstone, row.counts, limits, signing);
    await putErasure(own, { ...row, receipt });
    return receipt;
  });

const current = async ({ tables }: RunParts, tombstone: Tombstone): Promise<ErasureRow> => {
  const row = await tables.read((own) => erasureOf(own, nameOf(tombstone)));
  if (row === undefined) throw notBegun();
  return row;
};

const receiptOf = ({ receipt }: ErasureRow): ErasureReceipt => {
  if (receipt === null) throw new Error('the erasure has not ended');
  return receipt;
};

const nameOf = ({ tenantId, id }: Tombstone) => ({ tenantId, tombstoneId: id });

const notBegun = (): ServiceError =>
  new ServiceError('conflict', 'the erasure has no progress, or the row with it is damaged', {
    hint: 'ask for the erasure again: it begins anew, and keeps what is erased already',
  });
