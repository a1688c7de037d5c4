import { isUtf8 } from 'node:buffer';
import { countNoun, EXIT, type NumberedLine, type Progress, readLines } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { MAX_LINE_BYTES } from './import-chunks.ts';
import type { ImportContext } from './import-command.ts';
import { type ImportedLines, type TenantImport, TenantTransfer } from './transfer-api.ts';

/** The maximum number of lines per transaction, so that a node on the same store does not wait long. */
const BATCH_LINES = 256;
const BATCH_BYTES = 4 * 1024 * 1024;

interface Tally {
  lines: number;
  facts: number;
  stored: number;
  known: number;
  refused: number;
  announced: number | null;
}

/** Imports an export, header first, into the configured store, without a running node. Returns the exit code. */
export const importExportFile = async (
  source: AsyncIterable<Buffer>,
  totalBytes: number | null,
  { stdout, stderr, progress: show, withNode }: Pick<ImportContext, 'stdout' | 'stderr' | 'progress' | 'withNode'>,
): Promise<number> => {
  const tally: Tally = { lines: 0, facts: 0, stored: 0, known: 0, refused: 0, announced: null };
  await withNode({ transfer: TenantTransfer }, async ({ use: { transfer }, node }) => {
    stderr.write(`importing into ${node.storeLocation}\n`);
    const progress = show(totalBytes);
    try {
      for await (const { target, batch, offset } of batches(source, (header) => transfer.openImport(header))) {
        if (tally.lines === 0 && !target.sameNode) {
          progress.say(`the file comes from ${target.header.nodeId}; this store keeps an identity of its own`);
        }
        await takeBatch(target, batch, tally, progress);
        progress.update(offset, tally.lines);
      }
    } finally {
      progress.end();
    }
    const { facts, stored, known, refused } = tally;
    stdout.write(
      `${countNoun(facts, 'fact')}: ${stored} stored, ${known} known; ${countNoun(refused, 'line')} refused\n`,
    );
  });
  const { refused, announced } = tally;
  if (announced === null) {
    throw new ServiceError('validation', 'the file ends before its last line: it is only a part of an export', {
      hint: 'its facts are stored; export again and import the whole file: nothing is stored twice',
    });
  }
  return refused === 0 ? EXIT.ok : EXIT.someRefused;
};

interface Batch {
  readonly target: TenantImport;
  readonly batch: readonly NumberedLine[];
  /** Offset in the file at the end of this batch. */
  readonly offset: number;
}

async function* batches(
  source: AsyncIterable<Buffer>,
  open: (header: string) => Promise<TenantImport>,
): AsyncGenerator<Batch, void, undefined> {
  let target: TenantImport | undefined;
  let batch: NumberedLine[] = [];
  let bytes = 0;
  let offset = 0;
  for await (const line of readLines(source, MAX_LINE_BYTES)) {
    offset = line.offset;
    if (target === undefined) {
      target = await open(line.bytes?.toString() ?? '');
      continue;
    }
    if (line.bytes !== null && line.bytes.length === 0) continue;
    batch.push(line);
    bytes += line.bytes?.length ?? 0;
    if (batch.length === BATCH_LINES || bytes >= BATCH_BYTES) {
      yield { target, batch, offset };
      batch = [];
      bytes = 0;
    }
  }
  if (target !== undefined && batch.length > 0) yield { target, batch, offset };
}

const takeBatch = async (
  target: TenantImport,
  batch: readonly NumberedLine[],
  tally: Tally,
  progress: Progress,
): Promise<void> => {
  const refuse = (number: number, reason: string): void => {
    tally.refused += 1;
    progress.say(`line ${number}: ${reason}`);
  };
  const lines: { number: number; text: string }[] = [];
  for (const { number, bytes } of batch) {
    if (bytes === null) refuse(number, `longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
    else if (!isUtf8(bytes)) refuse(number, 'not valid UTF-8');
    else lines.push({ number, text: bytes.toString() });
  }
  const taken: ImportedLines = await target.take(lines).catch((error: unknown) => {
    progress.say(`stopped at line ${batch[0]?.number}: repeat the command to go on from there`);
    throw error;
  });
  for (const { number, reason } of taken.refused) refuse(number, reason);
  tally.lines += batch.length;
  tally.facts += taken.facts;
  tally.stored += taken.stored;
  tally.known += taken.known;
  tally.announced ??= taken.announced;
};
