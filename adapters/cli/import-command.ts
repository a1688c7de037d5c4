import { createReadStream, statSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { ServiceError } from '../../ports/ports.ts';
import { type BatchTarget, sendBatch } from './batch-client.ts';
import type { CommandLineDeps } from './command-line-deps.ts';
import { counted } from './counted.ts';
import { EXIT } from './exit-codes.ts';
import { type ImportChunk, importChunks } from './import-chunks.ts';
import { importExportFile } from './import-export-file.ts';
import { createProgress, type Progress } from './import-progress.ts';
import { readKeyFile } from './key-file.ts';
import { peekFirstLine } from './peek-first-line.ts';

/** The most that the batch route takes. */
const MAX_BATCH = 1_000;
const DEFAULT_BATCH = 500;
const DEFAULT_URL = 'http://127.0.0.1:8765';

interface ImportOptions {
  readonly url?: string;
  readonly keyFile?: string;
  readonly batch: number;
  readonly config?: string;
}

interface Tally {
  requests: number;
  lines: number;
  accepted: number;
  rejected: number;
  replayedChunks: number;
}

export const addImportCommand = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  program
    .command('import')
    .summary('import facts from a file, one JSON object per line')
    .description(
      'Sends every line of the file to a running node. A line is a body of POST /v1/facts, or a fact as the node returns it. ' +
        'Lines that are broken or refused are reported with their number, and the others are stored.\n\n' +
        'A file that "export" wrote is known by its first line. It goes into the store itself, and no node has to run.',
    )
    .argument('<file>', 'file with one JSON object per line, or - for standard input')
    .option('--url <url>', `base address of the node (SVC_URL, default ${DEFAULT_URL})`)
    .option('--key-file <file>', 'file that holds the API key (default: the variable SVC_API_KEY)')
    .option('--batch <lines>', `lines per request and transaction, 1 to ${MAX_BATCH}`, batchSize, DEFAULT_BATCH)
    .option('--config <file>', 'configuration file that names the store, for a file that "export" wrote')
    .addHelpText(
      'after',
      `
Repeat an interrupted run with the same command: what was stored within the last
24 hours is not stored again, and facts of an export never are. The API key is
never an argument, because other users of the machine can see arguments.

Exit codes: 0 every line was accepted, 1 the run stopped early, 2 some lines
were refused.

Examples:
  fact-memory-node import facts.jsonl --key-file data/admin.key
  fact-memory-node import memory.ndjson
  zcat facts.jsonl.gz | fact-memory-node import - --key-file data/admin.key`,
    )
    .action(async (file: string, options: ImportOptions) => {
      done(await runImport(file, options, deps));
    });
};

const batchSize = (text: string): number => {
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_BATCH) return size;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_BATCH}.`);
};

const runImport = async (file: string, options: ImportOptions, deps: CommandLineDeps): Promise<number> => {
  const { source: whole, totalBytes } = openSource(file, deps);
  const { firstLine, source } = await peekFirstLine(whole);
  if (isExportHeader(firstLine)) {
    return importExportFile(source, options.config, totalBytes, deps);
  }
  return importLines(source, totalBytes, options, deps);
};

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
  options: ImportOptions,
  deps: CommandLineDeps,
): Promise<number> => {
  const target = importTarget(options, deps);
  const progress = createProgress(deps.stderr, totalBytes);
  const tally: Tally = { requests: 0, lines: 0, accepted: 0, rejected: 0, replayedChunks: 0 };
  const startedMs = performance.now();
  try {
    for await (const chunk of importChunks(source, options.batch)) {
      await importChunk(target, chunk, tally, progress);
      progress.update(chunk.offset, tally.lines);
    }
  } finally {
    progress.end();
    const seconds = (performance.now() - startedMs) / 1_000;
    deps.stdout.write(`${summary(tally, seconds)}\n`);
  }
  return tally.rejected === 0 ? EXIT.ok : EXIT.someRefused;
};

const importTarget = (options: ImportOptions, { env }: CommandLineDeps): BatchTarget => {
  const text = options.url ?? env['SVC_URL'] ?? DEFAULT_URL;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new ServiceError('validation', 'the address of the node is not an http or https URL', {
      hint: `give one like ${DEFAULT_URL} with --url or SVC_URL`,
    });
  }
  const apiKey = options.keyFile === undefined ? (env['SVC_API_KEY']?.trim() ?? '') : readKeyFile(options.keyFile);
  if (apiKey === null) throw new ServiceError('lookup', `there is no file ${options.keyFile}`);
  return { url: text.replace(/\/+$/, ''), apiKey: apiKey === '' ? null : apiKey };
};

const openSource = (
  file: string,
  { stdin }: CommandLineDeps,
): { source: AsyncIterable<Buffer>; totalBytes: number | null } => {
  if (file === '-') return { source: stdin, totalBytes: null };
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new ServiceError('lookup', `there is no file ${file}`);
  if (stats.isDirectory()) throw new ServiceError('validation', `${file} is a folder`, { hint: 'name a file in it' });
  return { source: createReadStream(file), totalBytes: stats.isFile() ? stats.size : null };
};

const importChunk = async (
  target: BatchTarget,
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
  const answer = await sendBatch(target, chunk.body, chunk.idempotencyKey, patience).catch((error: unknown) => {
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

/**
 * The node counts within the request, and lines within an item, which says nothing to whoever has the file before them.
 */
const inTermsOfTheLine = (detail: string, index: number): string =>
  detail
    .replace(`the body[${index}] is not valid JSON`, 'not valid JSON')
    .replace(/ at line 1, (column \d+)$/, ' at $1')
    .replaceAll(`body[${index}].`, '')
    .replaceAll(`body[${index}] `, '');

const summary = ({ lines, accepted, rejected, replayedChunks }: Tally, seconds: number): string => {
  const replayed = replayedChunks === 0 ? '' : `, requests known from an earlier run: ${replayedChunks}`;
  const rate = seconds > 0 ? Math.round(accepted / seconds) : accepted;
  return `${counted(lines, 'line')}: ${accepted} accepted, ${rejected} refused, ${seconds.toFixed(1)} s, ${rate} facts/s${replayed}`;
};
