import { askServer, defineCommand, jsonLine, readShare, type ShownValue, valueLine } from '../../kernel/command-api.ts';
import { columnText } from '../../kernel/internal-api.ts';
import { SCOPES } from '../../kernel/plugin-api.ts';
import { followJob } from '../jobs/jobs-api.ts';

/** The maximum number of characters of a value in the table. */
const MOST_SHOWN = 60;

type Value = ShownValue;

interface Winner {
  readonly entity: string;
  readonly relation: string;
  readonly value: Value;
  readonly confidence: number;
  readonly contradicted: boolean;
  readonly alt_value: Value | null;
  readonly scope?: string;
}

export const synthesisCommand = defineCommand({
  name: 'synthesis',
  topic: 'memory',
  summary: 'what the facts of a scope come to',
  description: 'Shows the winner of each entity and relation, the strongest first, and what says otherwise.',
  examples: ['fact-memory-node synthesis --scope company', 'fact-memory-node synthesis --entity user:noor --json'],
  needs: 'server',
  options: {
    scope: { type: 'text', value: 'word', of: SCOPES, summary: `facts of this scope alone: ${SCOPES.join(', ')}` },
    entity: { type: 'text', value: 'uri', summary: 'facts about this entity alone' },
    minConfidence: { type: 'text', value: 'number', summary: 'leave out facts below this confidence, from 0 to 1' },
    includeExpired: { type: 'flag', summary: 'count facts that have expired as well' },
    limit: { type: 'integer', value: 'number', minimum: 1, maximum: 1_000, default: 50, summary: 'facts to look at' },
    json: { type: 'flag', summary: 'the reply of the node as JSON' },
  },
  async run(context) {
    const { options, server, stdout, table } = context;
    const body = {
      scope: options.scope,
      entity: options.entity,
      min_confidence: readShare('--min-confidence', options.minConfidence),
      include_expired: options.includeExpired,
      limit: options.limit,
    };
    const reply = await followJob(context, await askServer(server, { method: 'POST', path: '/v1/synthesis', body }));
    if (options.json) {
      stdout.write(jsonLine(reply));
      return;
    }
    const winners = (reply['summary'] ?? []) as readonly Winner[];
    const rows = winners.map(rowOf);
    if (rows.length > 0) stdout.write(table([COLUMNS, ...rows], { titled: true }));
    stdout.write(`${counts(reply)}\n`);
  },
});

const COLUMNS = ['entity', 'relation', 'value', 'confidence', 'otherwise', 'scope'];

const rowOf = ({ entity, relation, value, confidence, contradicted, alt_value, scope }: Winner): string[] => [
  columnText(entity),
  columnText(relation),
  shown(value),
  confidence.toFixed(2),
  contradicted ? (alt_value === null ? 'contradicted' : shown(alt_value)) : '',
  scope ?? '',
];

const shown = (value: Value): string => valueLine(value, MOST_SHOWN);

const counts = (reply: Readonly<Record<string, unknown>>): string => {
  const { scope, fact_count, contradiction_count, filtered_count, expired_fact_count } = reply;
  const where = scope === 'all' ? 'all scopes' : `scope ${scope}`;
  return [
    `${fact_count} ${fact_count === 1 ? 'fact' : 'facts'} in ${where}`,
    `${contradiction_count} ${contradiction_count === 1 ? 'contradiction' : 'contradictions'}`,
    ...(Number(filtered_count) > 0 ? [`${filtered_count} below the confidence`] : []),
    ...(Number(expired_fact_count) > 0 ? [`${expired_fact_count} expired`] : []),
    ...(reply['truncated'] === true ? ['cut: some values are too long'] : []),
  ].join(', ');
};
