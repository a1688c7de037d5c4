import { defineCommand, jsonLine, readPages } from '../../../kernel/command-api.ts';
import { conflictTable, type ShownConflict } from './shown-conflict.ts';

/** The maximum number of conflicts that `--all` prints. */
const MOST_OF_ALL = 10_000;

const OPTIONS = {
  status: {
    type: 'text',
    value: 'word',
    of: ['unresolved', 'resolved', 'all'],
    default: 'unresolved',
    summary: 'which: unresolved, resolved or all',
  },
  limit: { type: 'integer', value: 'number', minimum: 1, maximum: 500, default: 50, summary: 'most conflicts to show' },
  all: { type: 'flag', summary: `all of them, at most ${MOST_OF_ALL}` },
  json: { type: 'flag', summary: 'the reply as JSON; with --all a conflict per line' },
} as const;

export const conflictsCommand = defineCommand({
  name: 'conflicts',
  topic: 'daily',
  summary: 'list contradictions, both sides of each',
  description: 'Shows the newest fact of each contradiction beside its strongest rival, newest contradiction first.',
  examples: ['fact-memory-node conflicts', 'fact-memory-node conflicts --status all --json'],
  needs: 'server',
  options: OPTIONS,
  async run({ options, server, clock, stdout, stderr, table }) {
    const limit = options.all ? MOST_OF_ALL : options.limit;
    const asked = { path: '/v1/conflicts', query: { status: options.status }, list: 'conflicts', limit };
    let shown = 0;
    let hasMore = false;
    for await (const page of readPages<ShownConflict>(server, asked)) {
      if (options.json && !options.all) stdout.write(jsonLine(page.document));
      else if (options.json) stdout.write(page.items.map(jsonLine).join(''));
      else for (const conflict of page.items) stdout.write(conflictTable(conflict, clock.nowMs(), table));
      shown += page.items.length;
      hasMore = page.hasMore;
      if (!options.all) break;
    }
    if (shown === 0) stderr.write('No contradiction that you may see.\n');
    else if (!options.json) stderr.write('"fact-memory-node resolve CONFLICT --winner FACT" settles one.\n');
    if (hasMore) stderr.write(options.all ? `Cut at ${MOST_OF_ALL} conflicts.\n` : 'There is more: add --all.\n');
  },
});
