import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  type CommandContext,
  countNoun,
  defineCommand,
  EXIT,
  inTermsOfTheLine,
  type PatientTarget,
  type Progress,
  sendBatch,
} from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { type ImportChunk, importChunks } from './import-chunks.ts';
import { importExportFile } from './import-export-file.ts';
import { peekFirstLine } from './peek-first-line.ts';

/** The maximum number of facts that the batch route accepts. */
const MAX_BATCH = 1_000;
const DEFAULT_BATCH = 500;

interface Tally {
  requests: number;
  lines: number;
  accepted: number;
  rejected: number;
  replayedChunks: number;
}

const ARGUMENTS = { file: { summary: 'file with one JSON object per line, or - for standard input' } } as const;
const OPTIONS = {
  batch: {
    type: 'integer',
    value: 'lines',
    summary: `lines per request and transaction, 1 to ${MAX_BATCH}`,
    minimum: 1,
    maximum: MAX_BATCH,
    default: DEFAULT_BATCH,
  },
  config: {
    type: 'text',
    value: 'file',
    summary: 'configuration file that names the store, for a file that "export" wrote',
  },
} as const;

export type ImportContext = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

export const importCommand = defineCommand({
  name: 'import',
  topic: 'memory',
  summary: 'import facts from a file, one JSON object per line',
  description:
    'Sends every line of the file to a running node. A line is a body of POST /v1/facts, or a fact as the node returns it. ' +
    'Lines that are broken or refused are reported with their number, and the others are stored.\n\n' +
    'A file that "export" wrote is known by its first line. It goes into the store itself, and no node has to run. The ' +
    'key of the operator opens a sealed one. Use "import-from" for an export of another product.',
  notes: `Repeat an interrupted run with the same command: what was stored within the last
24 hours is not stored again, and facts of an export never are. The API key is
never an argument, because other users of the machine can see arguments.

Exit codes: 0 every line was accepted, 1 the run stopped early, 2 some lines
were refused.`,
  examples: [
    'fact-memory-node import facts.jsonl --key-file data/admin.key',
    'fact-memory-node import memory.ndjson',
    'zcat facts.jsonl.gz | fact-memory-node import - --key-file data/admin.key',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { source: whole, totalBytes } = openSource(context.arguments.file, context.stdin);
    const { firstLine, source } = await peekFirstLine(context.openExport(whole));
    return isExportHeader(firstLine)
      ? importExportFile(source, totalBytes, context)
      : importLines(source, totalBytes, context);
  },
});

const isExportHeader = (line: string): boolean => {
  try {
    const header: unknown = JSON.parse(line);
    return (header as { type?: unknown } | null)?.type === 'header';
  } catch {
    return false;
  }
};

const importLines = async (
  source: AsyncIterable<Buffer>,
  totalBytes: number | null,
  { options, server, clock, stdout, progress: show }: ImportContext,
): Promise<number> => {
  const progress = show(totalBytes);
  const tally: Tally = { requests: 0, lines: 0, accepted: 0, rejected: 0, replayedChunks: 0 };
  const startedMs = clock.monotonicMs();
  try {
    for await (const chunk of importChunks(source, options.batch)) {
      await importChunk({ server, clock }, chunk, tally, progress);
      progress.update(chunk.offset, tally.lines);
    }
  } finally {
    progress.end();
    const seconds = (clock.monotonicMs() - startedMs) / 1_000;
    stdout.write(`${summary(tally, seconds)}\n`);
  }
  return tally.rejected === 0 ? EXIT.ok : EXIT.someRefused;
};

const openSource = (file: string, stdin: Readable): { source: AsyncIterable<Buffer>; totalBytes: number | null } => {
  if (file === '-') return { source: stdin, totalBytes: null };
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new ServiceError('lookup', `there is no file ${file}`);
  if (stats.isDirectory()) throw new ServiceError('validation', `${file} is a folder`, { hint: 'name a file in it' });
  return { source: createReadStream(file), totalBytes: stats.isFile() ? stats.size : null };
};

const importChunk = async (
  target: PatientTarget,
  chunk: ImportChunk,
  tally: Tally,
  progress: Progress,
): Promise<void> => {
  for (const { number, reason } of chunk.refused) progress.say(`line ${number}: ${reason}`);
  tally.lines += chunk.refused.length;
  tally.rejected += chunk.refused.length;
  if (chunk.lineNumbers.length === 0) return;
  const patience = {
    answeredBefore: tally.requests > 0,
    onPause: (reason: string, delayMs: number) => progress.say(`${reason}; trying again in ${delayMs / 1_000} s`),
  };
  const answer = await sendBatch(target, chunk, patience).catch((error: unknown) => {
    progress.say(`stopped at line ${chunk.lineNumbers[0]}: repeat the command to go on from there`);
    throw error;
  });
  for (const { index, status, code, detail } of answer.rejected) {
    progress.say(`line ${chunk.lineNumbers[index] ?? '?'}: ${status} ${code}: ${inTermsOfTheLine(detail, index)}`);
  }
  tally.requests += 1;
  tally.lines += chunk.lineNumbers.length;
  tally.accepted += answer.accepted;
  tally.rejected += answer.rejected.length;
  if (answer.replayed) tally.replayedChunks += 1;
};

const summary = ({ lines, accepted, rejected, replayedChunks }: Tally, seconds: number): string => {
  const replayed = replayedChunks === 0 ? '' : `, requests known from an earlier run: ${replayedChunks}`;
  const rate = seconds > 0 ? Math.round(accepted / seconds) : accepted;
  return `${countNoun(lines, 'line')}: ${accepted} accepted, ${rejected} refused, ${seconds.toFixed(1)} s, ${rate} facts/s${replayed}`;
};
