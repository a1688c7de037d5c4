import { Command, InvalidArgumentError } from 'commander';
import { type AppendOptions, benchAppend, benchBatch, type SqliteLayout } from './append.ts';
import { type AsOfOptions, benchAsOf } from './as-of.ts';
import { type BesideLoadOptions, benchBesideLoad } from './beside-load.ts';
import { benchCapacity } from './capacity.ts';
import { benchCommands, type CommandsOptions } from './commands.ts';
import { benchFairness, type FairnessOptions } from './fairness.ts';
import { benchFederation, type FederationOptions } from './federation.ts';
import { benchFilesPerRequest, type FilesOptions } from './files-per-request.ts';
import { benchGovernance, type GovernanceOptions } from './governance.ts';
import { benchLedgers, type LedgersOptions } from './ledgers.ts';
import { benchLint, type LintOptions } from './lint.ts';
import type { BenchSearch, BenchStore } from './processes/bench-place.ts';
import { benchQuery } from './query.ts';
import { type BenchEmbedder, BUILT_IN, benchEmbedder, EMBEDDER_CHOICES } from './recall/bench-embedder.ts';
import { FACTS_PER_SESSION } from './recall/synthetic-facts.ts';
import { benchRecallLatency, type LatencyOptions, QUESTION_ROUNDS } from './recall-latency.ts';
import { benchRecallQuality, type QualityOptions } from './recall-quality.ts';
import { benchReplicas, type ReplicasOptions } from './replicas.ts';
import { benchRoundtrip } from './roundtrip.ts';
import { benchSealed, type SealedOptions } from './sealed.ts';
import { benchStartStop, type StartStopOptions } from './start-stop.ts';
import { benchSubscriptions, type SubscriptionOptions } from './subscriptions.ts';
import { benchTelemetry, type TelemetryOptions } from './telemetry.ts';

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0');
  return value;
};

const embedders = (list: string): readonly BenchEmbedder[] =>
  list.split(',').map((choice) => {
    const embedder = benchEmbedder(choice);
    if (embedder === undefined) throw new InvalidArgumentError(`must be of ${EMBEDDER_CHOICES}`);
    return embedder;
  });

const storeName = (text: string): BenchStore => {
  if (text !== 'sqlite' && text !== 'postgres') throw new InvalidArgumentError('must be sqlite or postgres');
  return text;
};

const searchName = (text: string): BenchSearch => {
  if (text !== 'memory' && text !== 'postgres') throw new InvalidArgumentError('must be memory or postgres');
  return text;
};

const layoutName = (text: string): SqliteLayout => {
  if (text !== 'inline' && text !== 'thread') throw new InvalidArgumentError('must be inline or thread');
  return text;
};

const rising = (text: string): number[] => {
  const read = text.split(',').map(Number);
  if (!read.every((count, at) => Number.isInteger(count) && count > (read[at - 1] ?? 0)))
    throw new InvalidArgumentError('must be rising whole numbers, such as 1,4');
  return read;
};

const sizes = (text: string): number[] => {
  const read = rising(text);
  if (!read.every((size) => size % FACTS_PER_SESSION === 0))
    throw new InvalidArgumentError(`must be rising multiples of ${FACTS_PER_SESSION}, such as 10000,100000`);
  return read;
};

const inRounds = (text: string): number => {
  const value = positive(text);
  if (value % QUESTION_ROUNDS !== 0) throw new InvalidArgumentError(`must be a multiple of ${QUESTION_ROUNDS}`);
  return value;
};

const storeNames = (text: string): BenchStore[] => text.split(',').map(storeName);

const hashedDimensions = (text: string): number => {
  if (text !== '256' && text !== '768') throw new InvalidArgumentError('must be 256 or 768');
  return Number(text);
};

const dimensionList = (text: string): number[] => text.split(',').map(hashedDimensions);

interface EmbedderOption {
  readonly embedder: readonly BenchEmbedder[];
}

/** The option for the search index, as arguments of `option`. */
const SEARCH = ['--search <name>', 'memory, or postgres: in tables with pgvector', searchName, 'memory'] as const;

const program = new Command('bench')
  .description('Measures the node on this machine. Compare the ratios of one run, never absolute figures of two.')
  .showHelpAfterError();

program
  .command('append')
  .description('durable POST /v1/facts against the bare ceiling prototypes, by turns')
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time for each side', positive, 10)
  .option(
    '--store <name>',
    'sqlite, or postgres: a server that is started for it, or SVC_TEST_DATABASE_URL',
    storeName,
    'sqlite',
  )
  .option('--processes <n>', 'node processes on one database', positive, 1)
  .option('--search', 'search in PostgreSQL, by turns with a node that has no search')
  .option('--batch', 'the batch endpoint against a bare multi-row insert')
  .option('--against <dir>', 'a checkout that was built: its node takes turns with this one')
  .option('--writer <layout>', 'who writes the file of SQLite, inline or thread: the other one takes turns', layoutName)
  .action(async ({ batch, ...options }: AppendOptions & { readonly batch?: boolean }) =>
    batch === true ? benchBatch(options) : benchAppend(options),
  );

program
  .command('query')
  .description(
    'GET /v1/facts?entity= on a small and a large store, memory, koa + router alone and with one SELECT, a profile',
  )
  .option('--facts <n>', 'facts in the large store', positive, 1_000_000)
  .option('--per-entity <n>', 'facts in each answer: 1, 2, 5, 10, 25 or 50', positive, 10)
  .option('--seconds <n>', 'time of each measurement', positive, 4)
  .action(benchQuery);

program
  .command('replicas')
  .description('entity queries on PostgreSQL with a replica, by turns with the primary alone: processor time of each')
  .option('--facts <n>', 'facts in the store', positive, 10_000)
  .option('--connections <n>', 'connections, each with one request in flight', positive, 16)
  .option('--seconds <n>', 'measured time for each side in a round', positive, 4)
  .option('--rounds <n>', 'turns of each side', positive, 3)
  .action((options: ReplicasOptions) => benchReplicas(options));

program
  .command('beside-load')
  .description('entity queries and recalls while facts are loaded and embedded, beside those of an idle node')
  .option('--facts <n>', 'facts that are loaded: half of them with rests', positive, 60_000)
  .option('--seconds <n>', 'time of each measurement without a load', positive, 15)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: BesideLoadOptions) => benchBesideLoad(options));

program
  .command('ledgers')
  .description('reads of facts, audit, log and billing on a large store, and a migrated copy against the store before')
  .option('--facts <n>', 'facts in the store', positive, 1_000_000)
  .option('--seconds <n>', 'time of each read on each side, spread over the rounds', positive, 3)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .option('--against <dir>', 'a checkout that was built: its node fills the store, and this one migrates a copy')
  .action((options: LedgersOptions) => benchLedgers(options));

program
  .command('governance')
  .description('assertions and recalls with every feature of governance on, by turns with a node that has none on')
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time of assertions for each side', positive, 10)
  .option('--facts <n>', 'facts in the store that is recalled from', positive, 10_000)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: GovernanceOptions) => benchGovernance(options));

program
  .command('sealed')
  .description('writes, entity queries and recalls on a sealed store, by turns with a clear one')
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time of each load for each side', positive, 10)
  .option('--facts <n>', 'facts in the store that is queried and recalled from', positive, 10_000)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: SealedOptions) => benchSealed(options));

program
  .command('telemetry')
  .description(
    'assertions with metrics and tracing, without an SDK and with one, by turns with a node that has neither',
  )
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time for each side', positive, 30)
  .option('--rounds <n>', 'turns of each side', positive, 10)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: TelemetryOptions) => benchTelemetry(options));

program
  .command('roundtrip')
  .description('asserts every row of DIR/corpus.jsonl, reads it back by entity and by cid, compares byte for byte')
  .argument('<dir>', 'folder with a corpus.jsonl: {"store","id","entity","text","ts"} a line')
  .option('--connections <n>', 'connections, each with one request in flight', positive, 8)
  .action(async (folder: string, { connections }: { connections: number }) => {
    if ((await benchRoundtrip({ folder, connections })) > 0) process.exitCode = 1;
  });

program
  .command('recall-quality')
  .description(
    'asks every question of each DIR/queries.jsonl and says how much of the evidence came back, whole and by stage',
  )
  .argument(
    '<dirs...>',
    'folders with corpus.jsonl and queries.jsonl: {"store","id","query","type","gold":{id:worth}} a line; or made-talk, made-notes, made-rules',
  )
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .option(...SEARCH)
  .option('--embedder <list>', `${EMBEDDER_CHOICES}; one after another`, embedders, [BUILT_IN])
  .action(
    (folders: string[], { embedder, ...options }: Omit<QualityOptions, 'folders' | 'embedders'> & EmbedderOption) =>
      benchRecallQuality({ folders, embedders: embedder, ...options }),
  );

program
  .command('as-of')
  .description('questions about an earlier moment beside the same questions about now')
  .option('--facts <n>', 'facts in the store', positive, 20_000)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: AsOfOptions) => benchAsOf(options));

program
  .command('lint')
  .description(
    'assertions beside a job that checks the whole store, by turns with assertions alone; time and memory of it',
  )
  .option('--facts <n>', 'facts in the store', positive, 50_000)
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time of assertions on each side', positive, 20)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: LintOptions) => benchLint(options));

program
  .command('fairness')
  .description('reads of one fact beside forty costly requests of one other key, and beside those of forty keys')
  .option('--facts <n>', 'facts in the store', positive, 20_000)
  .option('--seconds <n>', 'time of each measurement', positive, 6)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: FairnessOptions) => benchFairness(options));

program
  .command('recall-latency')
  .description('recalls on a store that grows, each stage beside the bare engine query, memory, and start-up')
  .option('--facts <list>', 'sizes of the store, one after another', sizes, [10_000, 100_000])
  .option('--store <list>', 'sqlite, postgres or both, one after another', storeNames, ['sqlite'])
  .option('--dimensions <list>', 'of the vectors: 256, 768 or both, one after another', dimensionList, [768])
  .option(
    '--search <name>',
    'of nodes on PostgreSQL: memory, or postgres: in tables with pgvector',
    searchName,
    'memory',
  )
  .option('--workers <list>', 'numbers of processes that serve the store, one after another', rising, [1])
  .option('--questions <n>', `questions of each kind, a multiple of ${QUESTION_ROUNDS}`, inRounds, 400)
  .option('--folder <dir>', 'where filled stores of SQLite stay, by their size, for the next run')
  .action((options: LatencyOptions) => benchRecallLatency(options));

program
  .command('start-stop')
  .description('seconds until a node on a full store listens and recalls, and from SIGTERM to its end')
  .option('--facts <n>', `facts in the store, a multiple of ${FACTS_PER_SESSION}`, positive, 100_000)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .option('--dimensions <n>', 'of the vectors: 256 or 768', hashedDimensions, 768)
  .option('--folder <dir>', 'filled once and kept, for the next run; sqlite alone')
  .option('--profile <dir>', 'where the node leaves a processor profile of each of its runs')
  .action((options: StartStopOptions) => benchStartStop(options));

program
  .command('commands')
  .description('a hook and short commands, each with its request, as multiples of the start of bare node, by turns')
  .option('--rounds <n>', 'runs of each command', positive, 11)
  .option('--against <dir>', 'a checkout that was built: its commands take turns with these')
  .action((options: CommandsOptions) => benchCommands(options));

program
  .command('subscriptions')
  .description('durable POST /v1/facts with active subscriptions against none, by turns')
  .option('--subscriptions <n>', 'active subscriptions, each of another entity', positive, 1_000)
  .option('--every <n>', 'every so manyth fact has a subscriber, 0 for none', Number, 100)
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time for each side', positive, 12)
  .option('--store <name>', 'sqlite or postgres', storeName, 'sqlite')
  .action((options: SubscriptionOptions) => benchSubscriptions(options));

program
  .command('federation')
  .description('ingest by pull against the batch endpoint, the lag of single facts, and what an idle peer asks')
  .option('--facts <n>', 'facts that are pulled, a multiple of 500', positive, 20_000)
  .option('--seconds <n>', 'how long facts are written while the lag is measured', positive, 60)
  .option('--rate <n>', 'facts a second while the lag is measured', positive, 200)
  .action((options: FederationOptions) => benchFederation(options));

program
  .command('capacity')
  .description('what memories of several sizes need, by a model of measured costs; measures nothing itself')
  .action(benchCapacity);

program
  .command('files')
  .description('how many source files an assertion and a recall pass through')
  .option('--list', 'print their names too')
  .action((options: FilesOptions) => benchFilesPerRequest(options));

await program.parseAsync();
