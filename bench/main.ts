import { Command, InvalidArgumentError } from 'commander';
import { benchAppend, benchBatch } from './append.ts';
import { benchQuery } from './query.ts';
import { benchRoundtrip } from './roundtrip.ts';

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0');
  return value;
};

const onlySqlite = (text: string): string => {
  if (text !== 'sqlite') throw new InvalidArgumentError('this version measures sqlite');
  return text;
};

const program = new Command('bench')
  .description('Measures the node on this machine. Compare the ratios of one run, never absolute figures of two.')
  .showHelpAfterError();

program
  .command('append')
  .description('durable POST /v1/facts against the bare ceiling prototype, by turns')
  .option('--connections <n>', 'connections, each with one request in flight', positive, 32)
  .option('--seconds <n>', 'measured time for each side', positive, 10)
  .option('--store <name>', 'store of the node', onlySqlite, 'sqlite')
  .option('--batch', 'the batch endpoint against a bare multi-row insert')
  .action(async ({ batch, ...options }: { connections: number; seconds: number; batch?: boolean }) =>
    batch === true ? benchBatch(options) : benchAppend(options),
  );

program
  .command('query')
  .description('GET /v1/facts?entity= on a small and a large store, memory, and the bare koa + router rate')
  .option('--facts <n>', 'facts in the large store', positive, 1_000_000)
  .option('--per-entity <n>', 'facts in each answer: 1, 2, 5, 10, 25 or 50', positive, 10)
  .option('--seconds <n>', 'time of each measurement', positive, 4)
  .action(benchQuery);

program
  .command('roundtrip')
  .description('asserts every row of DIR/corpus.jsonl, reads it back by entity and by cid, compares byte for byte')
  .argument('<dir>', 'folder with a corpus.jsonl: {"store","id","entity","text","ts"} a line')
  .option('--connections <n>', 'connections, each with one request in flight', positive, 8)
  .action(async (folder: string, { connections }: { connections: number }) => {
    if ((await benchRoundtrip({ folder, connections })) > 0) process.exitCode = 1;
  });

await program.parseAsync();
