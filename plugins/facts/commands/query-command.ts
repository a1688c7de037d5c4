import {
  type CommandContext,
  defineCommand,
  factRows,
  jsonLine,
  readPages,
  readShare,
  SHOWN_FIELDS,
  type ShownFact,
} from '../../../kernel/command-api.ts';
import { SCOPES } from '../../../kernel/plugin-api.ts';

/** The maximum number of facts for `--all`, because a store may hold more than a terminal can show. */
const MOST_OF_ALL = 100_000;

const OPTIONS = {
  entity: { type: 'text', value: 'uri', summary: 'facts about this entity' },
  relation: { type: 'text', value: 'name', summary: 'facts with this relation' },
  source: { type: 'text', value: 'uri', summary: 'facts of this source' },
  scope: { type: 'text', value: 'word', of: SCOPES, summary: `facts of this scope: ${SCOPES.join(', ')}` },
  garden: { type: 'text', value: 'name', summary: 'facts of this garden: its slug or URI' },
  minConfidence: { type: 'text', value: 'number', summary: 'leave out facts below this confidence, from 0 to 1' },
  after: { type: 'text', value: 'instant', summary: 'only what is later than this instant or stamp' },
  before: { type: 'text', value: 'instant', summary: 'only what is earlier than this instant' },
  entities: { type: 'words', value: 'list', summary: 'facts about one of these; a star ends a beginning: user:*' },
  relations: { type: 'words', value: 'list', summary: 'facts with one of these relations, or beginnings' },
  sources: { type: 'words', value: 'list', summary: 'facts of one of these sources, or beginnings' },
  sessions: { type: 'words', value: 'list', summary: 'facts of one of your sessions, or beginnings of their names' },
  session: { type: 'text', value: 'name', summary: 'what was asserted under this session' },
  includeContradicted: { type: 'flag', summary: 'all sides of a contradiction, also those that were settled' },
  includeExpired: { type: 'flag', summary: 'also facts that have expired' },
  includeRetracted: { type: 'flag', summary: 'also facts that were retracted' },
  asOf: { type: 'text', value: 'instant', summary: 'what the node knew at that moment' },
  validAt: { type: 'text', value: 'instant', summary: 'what was valid at that instant, as far as the node knows' },
  limit: { type: 'integer', value: 'number', minimum: 1, maximum: 500, default: 50, summary: 'most facts to show' },
  all: { type: 'flag', summary: `all matches, at most ${MOST_OF_ALL}` },
  fields: {
    type: 'text',
    value: 'list',
    summary: 'with --json, the members of each fact, such as id,value, or compact for the usual ones',
  },
  json: { type: 'flag', summary: 'the reply as JSON; with --all a fact per line' },
} as const;

type Context = CommandContext<Record<never, never>, typeof OPTIONS, 'server', Record<never, never>, undefined>;

export const queryCommand = defineCommand({
  name: 'query',
  topic: 'daily',
  summary: 'list facts by what they are about',
  description:
    'Lists the facts that your key may see, newest first. Of a contradiction the winner is shown, with a mark; ' +
    '--include-contradicted shows all sides, and superseded facts, which have a mark too.',
  examples: [
    'fact-memory-node query --entity user:alice',
    'fact-memory-node query --relation memory:role --scope company --min-confidence 0.8',
    'fact-memory-node query --entity user:alice --as-of 2026-03-02T09:00:00Z',
    'fact-memory-node query --all --json > facts.ndjson',
  ],
  needs: 'server',
  options: OPTIONS,
  async run(context) {
    const { options, server, stdout, stderr } = context;
    const limit = options.all ? MOST_OF_ALL : options.limit;
    const asked = { path: '/v1/facts', query: queryMembers(context), list: 'facts', limit };
    let shown = 0;
    let hasMore = false;
    for await (const page of readPages<ShownFact>(server, asked)) {
      if (options.json && !options.all) stdout.write(jsonLine(page.document));
      else if (options.json) stdout.write(page.items.map(jsonLine).join(''));
      else stdout.write(listed(page.items, shown, context));
      shown += page.items.length;
      hasMore = page.hasMore;
      // A page may hold fewer facts than requested, because replies have a size limit. Without `--all`, reads one
      // page.
      if (!options.all) {
        const total = page.document['total'];
        if (!options.json && shown > 0) stderr.write(`${shown} of ${total} ${total === 1 ? 'fact' : 'facts'}\n`);
        break;
      }
    }
    if (shown === 0) stderr.write('No fact that you may see fits.\n');
    if (hasMore)
      stderr.write(options.all ? `Cut at ${MOST_OF_ALL} facts: ask for less.\n` : 'There is more: add --all.\n');
  },
});

const queryMembers = ({ options }: Context) => ({
  entity: options.entity,
  relation: options.relation,
  source: options.source,
  scope: options.scope,
  garden_id: options.garden,
  min_confidence: readShare('--min-confidence', options.minConfidence),
  after: options.after,
  before: options.before,
  entities: options.entities,
  relations: options.relations,
  sources: options.sources,
  sessions: options.sessions,
  session: options.session,
  include_contradicted: options.includeContradicted || undefined,
  include_expired: options.includeExpired || undefined,
  include_retracted: options.includeRetracted || undefined,
  as_of: options.asOf,
  valid_at: options.validAt,
  fields: options.json ? options.fields : SHOWN_FIELDS,
});

const listed = (facts: readonly ShownFact[], before: number, { clock, table }: Context): string => {
  const nowMs = clock.nowMs();
  return table(facts.flatMap((fact, at) => factRows(fact, { lead: `${before + at + 1}.`, nowMs })));
};
