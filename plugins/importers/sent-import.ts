import {
  type Clock,
  formatInstant,
  type LocalRequests,
  type Logger,
  type NodeSelf,
  parseInstant,
  type Random,
  type RouteRequest,
  type Scope,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { createDraftFacts, type DraftFacts } from './draft-facts.ts';
import { dryRun } from './dry-run.ts';
import { NO_EARLIER_IMPORT } from './earlier-import.ts';
import type { ItemsFile } from './earlier-items.ts';
import { guessFormat, refuseOtherFormat } from './guess-format.ts';
import { type OpenedInput, openSent } from './import-input.ts';
import { type ReadingParts, runImport } from './import-run.ts';
import { importSettings, isOffset } from './import-settings.ts';
import { emptyTally, type RunTally, refuseEmpty, summaryOf } from './import-tally.ts';
import type { ImportFormat, ImportSettings } from './importers-api.ts';
import { inTermsOfTheBody, inWordsOfTheBody } from './in-terms-of-the-body.ts';
import { itemsInTurns } from './items-in-turns.ts';
import { localServer, refusalInside } from './local-server.ts';
import { type ProgressLine, progressLines } from './progress-lines.ts';
import { printable } from './refused-items.ts';
import { encodingOf } from './text-encoding.ts';

/** A file that a caller sends to be imported, with the options of `import-from`. */
export interface SentImport {
  readonly name: string;
  /** The bytes of the file, in base64. */
  readonly content: string;
  readonly format?: string;
  readonly modified_at?: string;
  readonly scope?: Scope;
  readonly garden?: string;
  readonly source_prefix?: string;
  readonly utc_offset?: string;
  readonly encoding?: string;
  readonly map?: readonly string[];
  readonly dry_run: boolean;
  readonly as_job: boolean;
}

export interface SentImportParts {
  readonly formats: readonly ImportFormat[];
  readonly routes: LocalRequests;
  readonly self: NodeSelf;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

type Request = RouteRequest<undefined, undefined, SentImport>;

const FACTS_A_REQUEST = 500;
const MAX_REFUSED = 50;
const MAX_SOURCES = 100;

/** A sent file whose format is known. */
export interface OpenedImport {
  /** Imports the file once, and returns the line with the sums. Rejects once the signal has aborted. */
  run(tell: (line: ProgressLine) => void, signal: AbortSignal): Promise<ProgressLine>;
  /** Returns what callers learn of an error of `run`. */
  problemOf(error: unknown): ImportProblem;
}

export interface ImportProblem {
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
}

/** Returns the lines that report an import. Stores nothing before the first line is read. */
export const linesOfImport = ({ run, problemOf }: OpenedImport): AsyncGenerator<string, void, undefined> =>
  progressLines(run, (error) => ({ error: problemOf(error) }));

/**
 * Reads the sent file far enough to know its format. Throws `validation` for a file that no format fits, and for a file
 * that is not read to its format before the signal aborts.
 */
export const openSentImport = async (
  request: Request,
  parts: SentImportParts,
  signal?: AbortSignal,
): Promise<OpenedImport> => {
  try {
    return await openImport(request, parts, signal);
  } catch (error) {
    throw inTermsOfTheBody(error);
  }
};

const openImport = async (
  request: Request,
  parts: SentImportParts,
  signal: AbortSignal | undefined,
): Promise<OpenedImport> => {
  const { body } = request;
  const { clock, formats, log } = parts;
  const encoding = body.encoding === undefined ? undefined : encodingOf(body.encoding);
  const modifiedMs = body.modified_at === undefined ? null : parseInstant(body.modified_at);
  if (modifiedMs === null && body.modified_at !== undefined) {
    throw new ServiceError('validation', 'body.modified_at must be an RFC 3339 date-time with an offset', {
      hint: 'for example 2026-01-01T00:00:00Z',
    });
  }
  const content = bytesOf(body.content);
  const file = { name: body.name, content, modifiedMs };
  const glance = (): Promise<OpenedInput> => openSent(file, encoding, signal);
  const { map = [], utc_offset: utcOffset = 'Z' } = body;
  if (!isOffset(utcOffset)) {
    throw new ServiceError('validation', 'body.utc_offset must be Z, or an offset such as +01:00');
  }
  const settings = importSettings({ map, utcOffset, nowMs: clock.nowMs() });
  await refuseUnknownGarden(request, parts.routes);
  const format = await formatOf(body.format, formats, { open: glance, settings });
  const input = await openSent(file, encoding);
  return {
    run: (tell, signal) => importSent({ request, parts, format, input, settings, tell, signal }),
    problemOf(error) {
      if (!(error instanceof ServiceError)) {
        log.error('an import failed', { requestId: request.requestId, error });
        return { code: 'internal_error', detail: 'the import failed' };
      }
      const { code, message, hint } = inTermsOfTheBody(error);
      return { code, detail: message, ...(hint === undefined ? {} : { hint }) };
    },
  };
};

const bytesOf = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64');
  const spelled = bytes.toString('base64');
  if (spelled === text || spelled.replaceAll('=', '') === text) return bytes;
  throw new ServiceError('validation', 'body.content must be the base64 form of the bytes of a file');
};

const formatOf = async (
  named: string | undefined,
  formats: readonly ImportFormat[],
  { open, settings }: { open(): Promise<OpenedInput>; readonly settings: ImportSettings },
): Promise<ImportFormat> => {
  const format =
    named === undefined ? await guessFormat(formats, await open(), settings) : formats.find(({ id }) => id === named);
  if (format !== undefined) {
    const hintFor = (guess: string): string => `leave body.format out, or give it as ${guess}`;
    if (named !== undefined) await refuseOtherFormat(format, formats, { open, settings, hintFor });
    return format;
  }
  const fault = named === undefined ? 'the file looks like no export of a known format' : 'there is no such format';
  throw new ServiceError('validation', fault, { hint: `the formats are: ${formats.map(({ id }) => id).join(', ')}` });
};

/** Refuses a garden that the caller cannot see, because else every single fact would be refused for it. */
const refuseUnknownGarden = async (request: Request, routes: LocalRequests): Promise<void> => {
  const { garden } = request.body;
  if (garden === undefined || !routes.serves(GARDEN_ROUTE)) return;
  const { status } = await routes.send(request, { route: GARDEN_ROUTE, params: { garden } });
  if (status !== 404) return;
  throw new ServiceError('lookup', 'body.garden names no garden that this key can see', {
    hint: 'GET /v1/gardens lists them',
  });
};

const GARDEN_ROUTE = 'GET /v1/gardens/*garden';

interface Work {
  readonly request: Request;
  readonly parts: SentImportParts;
  readonly format: ImportFormat;
  readonly input: OpenedInput;
  readonly settings: ImportSettings;
  tell(line: ProgressLine): void;
  readonly signal: AbortSignal;
}

const importSent = async (work: Work): Promise<ProgressLine> => {
  const { request, format } = work;
  const isDry = request.body.dry_run;
  const tally = emptyTally();
  const sources = new Set<string>();
  const parts = await readingParts(work, sources);
  const tried = isDry ? await dryRun(parts, tally) : undefined;
  if (!isDry) await runImport({ ...parts, ...NOTHING_KEPT }, tally);
  refuseEmpty(tally, format.id);
  return {
    done: {
      format: format.id,
      dry_run: isDry,
      ...sumsOf(tally, isDry),
      summary: inWordsOfTheBody(summaryOf(tally, tried?.judge)),
      sources: [...sources],
      samples: tried?.samples ?? [],
    },
  };
};

const sumsOf = ({ kinds, skips, remarks, read, stored, same, leftOut, refused }: RunTally, isDry: boolean) => ({
  read,
  ...(isDry ? { stored: 0, would_store: stored } : { stored }),
  same,
  left_out: leftOut,
  refused,
  kinds: Object.fromEntries(kinds),
  skipped: Object.fromEntries([...skips].map(([reason, count]) => [inWordsOfTheBody(reason), count])),
  remarks: Object.fromEntries(remarks),
});

/** A sent file is imported as a whole: its progress is not kept, and a repeated import stores nothing twice. */
const NO_ITEMS: ItemsFile = {
  async *read() {},
  async begin() {},
  async add() {},
  async finish() {},
};
const NOTHING_KEPT = {
  itemsFile: NO_ITEMS,
  state: { path: '', read: async () => undefined, write: async () => {} },
  digest: '',
  from: 0,
  refusedBefore: 0,
};

const readingParts = async (
  { request, parts, format, input, settings, tell, signal }: Work,
  sources: Set<string>,
): Promise<ReadingParts> => {
  const { clock, random } = parts;
  const { scope = 'local', garden, source_prefix: sourcePrefix = '' } = request.body;
  const undated = (): string | undefined => {
    const ms = input.modifiedMs();
    return ms === null || ms > settings.nowMs ? undefined : formatInstant(ms);
  };
  // Under a key of an earlier run, the node would repeat an old reply for a day, and store no fact that ended since.
  const runId = random.uuid();
  const read = await format.load();
  let shown = 0;
  return {
    target: { server: localServer(request, parts, signal), clock, refusalOf: refusalInside },
    isInside: true,
    format: format.id,
    input,
    items: itemsInTurns(read(input, settings)),
    facts: notingSources(createDraftFacts({ scope, garden, sourcePrefix, undated }), sources),
    earlier: { ...NO_EARLIER_IMPORT, keyOf: (key) => `import-sent-${sha256Hex(`${runId}:${key}`)}` },
    maxFacts: FACTS_A_REQUEST,
    progress: {
      update: (done, facts = 0) => {
        signal.throwIfAborted();
        tell({ progress: { done_bytes: done, total_bytes: input.totalBytes, facts } });
      },
      resize() {},
      say() {},
      end() {},
    },
    refused: {
      add: (at, reason) => {
        shown += 1;
        if (shown <= MAX_REFUSED) tell({ refused: { at: printable(at), reason: printable(inWordsOfTheBody(reason)) } });
      },
      async flush() {},
      end() {},
    },
  };
};

/** Remembers the first sources of the facts, by which a caller finds them again. */
const notingSources = (facts: DraftFacts, sources: Set<string>): DraftFacts => ({
  factOf(draft) {
    const fact = facts.factOf(draft);
    if (sources.size < MAX_SOURCES) sources.add(String(fact['source']));
    return fact;
  },
  get missedLinks() {
    return facts.missedLinks;
  },
});
