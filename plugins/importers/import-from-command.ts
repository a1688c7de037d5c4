import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type CommandContext, countNoun, defineCommand, EXIT, shellQuote } from '../../kernel/command-api.ts';
import { removeDrafts } from '../../kernel/internal-api.ts';
import { formatInstant, type Scope, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import { createDraftFacts } from './draft-facts.ts';
import { dryRun } from './dry-run.ts';
import { compareWithEarlier, NO_EARLIER_IMPORT } from './earlier-import.ts';
import { type ItemsFile, itemsFileAt } from './earlier-items.ts';
import { refuseOtherFormat } from './guess-format.ts';
import { type OpenedInput, openInput } from './import-input.ts';
import { runImport } from './import-run.ts';
import { importSettings, isOffset } from './import-settings.ts';
import { stateFileAt } from './import-state.ts';
import { emptyTally, refuseEmpty, summaryOf } from './import-tally.ts';
import { IMPORT_FORMATS, type ImportFormat, type ImportSettings } from './importers-api.ts';
import { shortDigest } from './origin-values.ts';
import { createRefusedItems } from './refused-items.ts';
import { encodingOf } from './text-encoding.ts';

const MAX_BATCH = 1_000;
const SCOPES = ['local', 'team', 'company', 'public'] as const;

const ARGUMENTS = {
  format: { summary: 'name of a format; --list shows them', optional: true },
  path: { summary: 'file, zip archive or folder of the export', optional: true },
} as const;
const OPTIONS = {
  list: { type: 'flag', summary: 'list the formats, and where to get the export of each' },
  dryRun: { type: 'flag', summary: 'read everything, let the node check it, show the first facts, and store nothing' },
  scope: { type: 'text', value: 'scope', summary: `scope of the facts: ${SCOPES.join(', ')}`, default: 'local' },
  garden: { type: 'text', value: 'garden', summary: 'garden that the facts go to' },
  sourcePrefix: { type: 'text', value: 'text', summary: 'put before the source of every fact' },
  utcOffset: {
    type: 'text',
    value: 'offset',
    summary: 'offset of instants that come without one, for example +02:00',
    default: 'Z',
  },
  encoding: {
    type: 'text',
    value: 'name',
    summary: 'encoding of text that is not UTF-8 and has no byte order mark, for example windows-1252',
  },
  map: { type: 'words', value: 'member=column', summary: 'for csv: what the columns are, or a JSON file that says so' },
  batch: {
    type: 'integer',
    value: 'facts',
    summary: `facts per request, 1 to ${MAX_BATCH}`,
    minimum: 1,
    maximum: MAX_BATCH,
    default: 500,
  },
  state: {
    type: 'text',
    value: 'file',
    summary: 'file that remembers how far the import came (default: in the data folder)',
  },
  fromStart: { type: 'flag', summary: 'begin at the start of the input, also where an earlier run came further' },
  followDeletions: {
    type: 'flag',
    summary: 'end the facts of the last import of this source that the export no longer has',
  },
  refused: { type: 'text', value: 'file', summary: 'file that lists every refused item, one JSON object per line' },
} as const;

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

export const importFromCommand = defineCommand({
  name: 'import-from',
  topic: 'memory',
  summary: 'import the export of another memory or chat product',
  description:
    'Reads an export of another product and sends its memories to a running node as facts. What was said is stored as ' +
    'it was said, with the instants, authors and ids that the export has. No model takes part.',
  notes: `Repeat an interrupted run with the same command: it goes on where it stopped.
Nothing is stored twice, also by a run from the start.

Exit codes: 0 everything was accepted, 1 the run stopped early, 2 some items
were refused.`,
  examples: [
    'fact-memory-node import-from --list',
    'fact-memory-node import-from chatgpt export.zip --dry-run',
    'fact-memory-node import-from basic-memory ~/notes --scope team --key-file data/admin.key',
    'fact-memory-node import-from csv people.csv --map "entity=user:{id},relation==memory:role,value=role"',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { arguments: given, options } = context;
    const formats = context.words(IMPORT_FORMATS);
    if (options.list) return listFormats(context, formats);
    const format = formats.find(({ id }) => id === given.format);
    if (given.format === undefined || format === undefined) throw unknownFormat(formats, given.format !== undefined);
    if (given.path === undefined) {
      throw new ServiceError('validation', 'the file or folder of the export is missing', { hint: format.obtain });
    }
    const encoding = options.encoding && encodingOf(options.encoding);
    const { path } = given;
    const open = (): Promise<OpenedInput> => openInput(path, encoding);
    const input = await open();
    const settings = settingsFor(context);
    const hintFor = (guess: string): string =>
      `try "fact-memory-node import-from ${guess} ${shellQuote(path)}${guess === 'csv' ? ' --map …' : ''}"`;
    await refuseOtherFormat(format, formats, { open, settings, hintFor });
    const { statePath, itemsPath } = await importFiles(context, format, path);
    const itemsFile = itemsFileAt(itemsPath);
    return options.dryRun
      ? tryImport(context, format, input, itemsFile)
      : doImport(context, format, input, { itemsFile, statePath });
  },
});

const listFormats = ({ stdout, table }: Context, formats: readonly ImportFormat[]): void => {
  const rows = formats.map(({ id, summary, obtain }) => [id, summary, obtain]);
  stdout.write(`${table([['format', 'reads', 'where to get it'], ...rows], { titled: true })}\n`);
};

interface ImportFiles {
  readonly statePath: string;
  readonly itemsPath: string;
}

/**
 * Returns the files that remember the import. The items file depends on the folder of the input, the format and the
 * options, so that a newer export with another name finds the same file.
 */
const importFiles = async (context: Context, format: ImportFormat, path: string): Promise<ImportFiles> => {
  const { options, server } = context;
  if (options.state !== undefined) return { statePath: options.state, itemsPath: `${options.state}.items` };
  const folder = join(await server.stateFolder(), 'imports');
  const input = resolve(path);
  const source = shortDigest(JSON.stringify([server.url, dirname(input), settingsOf(context), options.map]));
  return {
    statePath: join(folder, `${format.id}-${shortDigest(JSON.stringify([server.url, input]))}.state.json`),
    itemsPath: join(folder, `${format.id}-${source}.items.ndjson`),
  };
};

const tryImport = async (
  context: Context,
  format: ImportFormat,
  input: OpenedInput,
  itemsFile: ItemsFile,
): Promise<number> => {
  const { stdout, options } = context;
  const progress = context.progress(input.totalBytes, 'facts');
  const tally = emptyTally();
  const refused = await createRefusedItems(progress, options.refused);
  try {
    const parts = { ...(await readingParts(context, format, input, itemsFile)), progress, refused };
    const { samples, judge } = await dryRun(parts, tally);
    refused.end();
    refuseEmpty(tally, format.id);
    stdout.write(`${summaryOf(tally, judge)}\n${samples.map((line) => `${line}\n`).join('')}`);
  } finally {
    progress.end();
  }
  return tally.refused === 0 ? EXIT.ok : EXIT.someRefused;
};

const doImport = async (
  context: Context,
  format: ImportFormat,
  input: OpenedInput,
  { itemsFile, statePath }: { readonly itemsFile: ItemsFile; readonly statePath: string },
): Promise<number> => {
  const { stdout, stderr, options } = context;
  const { map, utcOffset, encoding } = options;
  const settings = [{ defaults: settingsOf(context) }, map, utcOffset, encoding, options.followDeletions];
  const digest = sha256Hex(JSON.stringify([format.id, await input.digest(), ...settings]));
  if (options.state === undefined) await mkdir(dirname(statePath), { recursive: true, mode: 0o700 });
  await removeDrafts(statePath);
  const state = stateFileAt(statePath, context.random);
  const before = options.fromStart ? undefined : await state.read(digest);
  if (before?.isDone === true) {
    stdout.write('everything in this input was imported before; --from-start sends it again\n');
    return before.refused === 0 ? EXIT.ok : EXIT.someRefused;
  }
  const isResumed = before !== undefined && before.position > 0;
  if (isResumed) {
    stderr.write(`going on after ${countNoun(before.position, 'item')} of an earlier run\n`);
  }
  const progress = context.progress(input.totalBytes, 'facts');
  const tally = emptyTally();
  const refused = await createRefusedItems(progress, options.refused, isResumed);
  let isOver = false;
  try {
    const exitCode = await runImport(
      {
        ...(await readingParts(context, format, input, itemsFile)),
        itemsFile,
        state,
        digest,
        from: before?.position ?? 0,
        refusedBefore: before?.refused ?? 0,
        progress,
        refused,
      },
      tally,
    );
    isOver = true;
    return exitCode;
  } finally {
    refused.end();
    progress.end();
    if (isOver && before === undefined) refuseEmpty(tally, format.id);
    stdout.write(`${summaryOf(tally)}\n`);
  }
};

const settingsOf = ({ options }: Context) => {
  const scope = SCOPES.find((known) => known === options.scope);
  if (scope === undefined) {
    throw new ServiceError('validation', `--scope must be one of: ${SCOPES.join(', ')}`);
  }
  if (!isOffset(options.utcOffset)) {
    throw new ServiceError('validation', '--utc-offset must be Z, or an offset such as +02:00');
  }
  return { scope: scope as Scope, garden: options.garden, sourcePrefix: options.sourcePrefix ?? '' };
};

const settingsFor = ({ options, clock }: Context): ImportSettings =>
  importSettings({ map: options.map ?? [], utcOffset: options.utcOffset, nowMs: clock.nowMs() });

const readingParts = async (context: Context, format: ImportFormat, input: OpenedInput, file: ItemsFile) => {
  const { options, server, clock } = context;
  const settings = settingsFor(context);
  const { nowMs } = settings;
  const undated = (): string | undefined => {
    const ms = input.modifiedMs();
    return ms === null || ms > nowMs ? undefined : formatInstant(ms);
  };
  const defaults = { ...settingsOf(context), undated };
  const read = await format.load();
  const isFollowing = options.followDeletions;
  const items = () => read(input, settings);
  const comparison = { file, items, facts: createDraftFacts(defaults), isFollowing };
  const isCompared = isFollowing || !options.fromStart;
  const earlier = isCompared ? await compareWithEarlier(comparison) : NO_EARLIER_IMPORT;
  if (isFollowing && !earlier.isKnown) {
    context.stderr.write('no earlier import of this source is known here, so nothing is ended\n');
  }
  return {
    target: { server, clock },
    format: format.id,
    input,
    earlier,
    items: items(),
    facts: createDraftFacts(defaults),
    maxFacts: options.batch,
  };
};

const unknownFormat = (formats: readonly ImportFormat[], wasGiven: boolean): ServiceError =>
  new ServiceError('validation', wasGiven ? 'there is no format of this name' : 'the name of the format is missing', {
    hint: `the formats are: ${formats.map(({ id }) => id).join(', ')}`,
  });
