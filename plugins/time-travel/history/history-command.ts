import {
  askServer,
  defineCommand,
  jsonLine,
  queryOf,
  type ShownValue,
  valueLine,
} from '../../../kernel/command-api.ts';
import { columnText } from '../../../kernel/internal-api.ts';
import { SCOPES } from '../../../kernel/plugin-api.ts';

const PAGE = 200;
/** The maximum number of characters of a value in the table. */
const MOST_SHOWN = 48;

interface ShownFact {
  readonly id: string;
  readonly relation: string;
  readonly value: ShownValue;
  readonly confidence: number;
  readonly source: string;
  readonly scope: string;
}

interface ShownEvent {
  readonly event: string;
  readonly recorded_at: string;
  readonly fact: ShownFact;
  readonly contradicts: readonly string[];
  readonly ended: { readonly at: string; readonly by: string } | null;
}

interface ShownTriple {
  readonly relation: string;
  readonly scope: string;
  readonly periods: readonly {
    readonly fact_ids: readonly string[];
    readonly from: string;
    readonly until: string | null;
  }[];
}

export const historyCommand = defineCommand({
  name: 'history',
  topic: 'memory',
  summary: 'how the facts about an entity came to be',
  description:
    'Shows what was recorded about an entity and when it ended, oldest first, and who won from when to when.',
  examples: ['fact-memory-node history user:noor', 'fact-memory-node history user:noor --relation memory:role --json'],
  needs: 'server',
  arguments: { entity: { summary: 'the entity, as facts name it' } },
  options: {
    scope: { type: 'text', value: 'word', of: SCOPES, summary: `facts of this scope alone: ${SCOPES.join(', ')}` },
    relation: { type: 'text', value: 'name', summary: 'facts of this relation alone' },
    limit: { type: 'integer', value: 'number', minimum: 1, maximum: 100_000, default: 500, summary: 'facts to show' },
    json: { type: 'flag', summary: 'one JSON object per event' },
  },
  async run({ arguments: { entity }, options, server, stdout, stderr, table }) {
    const { scope, relation, limit, json } = options;
    const events: ShownEvent[] = [];
    const triples = new Map<string, ShownTriple>();
    let cursor: string | null = null;
    do {
      const asked = {
        scope,
        relation,
        cursor: cursor ?? undefined,
        limit: String(Math.min(PAGE, limit - events.length)),
      };
      const path = `/v1/history/${encodeURIComponent(entity)}?${queryOf(asked)}`;
      const { document } = await askServer(server, { method: 'GET', path });
      events.push(...(document['events'] as readonly ShownEvent[]));
      for (const triple of document['winners'] as readonly ShownTriple[]) triples.set(keyOf(triple), triple);
      cursor = document['cursor'] as string | null;
    } while (cursor !== null && events.length < limit);
    if (json) stdout.write(events.map(jsonLine).join(''));
    else if (events.length === 0) stderr.write('Nothing that you may see was recorded about this entity.\n');
    else
      stdout.write(
        `${table([COLUMNS, ...timeline(events)], { titled: true })}${winners(events, [...triples.values()])}`,
      );
    if (cursor !== null) stderr.write(`There is more: add --limit with a number above ${limit}.\n`);
  },
});

const COLUMNS = ['time', 'what', 'relation', 'value', 'confidence', 'scope', 'source'];

const keyOf = ({ relation, scope, periods }: ShownTriple): string =>
  JSON.stringify([relation, scope, periods[0]?.fact_ids]);

/** Sorts beginnings and ends by time. */
const timeline = (events: readonly ShownEvent[]): string[][] => {
  const lines = events.flatMap(({ event, recorded_at, fact, contradicts, ended }) => [
    { at: recorded_at, what: contradicts.length > 0 ? `${event}, contradicts` : event, fact },
    ...(ended === null ? [] : [{ at: ended.at, what: `ended by ${ENDS[ended.by] ?? ended.by}`, fact }]),
  ]);
  return lines
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map(({ at, what, fact }) => [
      at,
      what,
      columnText(fact.relation),
      shown(fact),
      fact.confidence.toFixed(2),
      fact.scope,
      columnText(fact.source),
    ]);
};

const ENDS: Readonly<Record<string, string>> = { valid_until: 'its valid_until', ttl: 'a time-to-live' };

const winners = (events: readonly ShownEvent[], triples: readonly ShownTriple[]): string => {
  const facts = new Map(events.map(({ fact }) => [fact.id, fact]));
  const nameOf = (id: string): string => {
    const fact = facts.get(id);
    return fact === undefined ? columnText(id) : shown(fact);
  };
  const lines = triples.flatMap(({ relation, scope, periods }) =>
    periods.map(({ fact_ids, from, until }) => {
      const span = until === null ? `since ${from}` : `from ${from} to ${until}`;
      return `  ${columnText(relation)} (${scope}): ${fact_ids.map(nameOf).join(' and ')} ${span}\n`;
    }),
  );
  return lines.length === 0 ? '' : `\nWinners:\n${lines.join('')}`;
};

const shown = ({ value }: ShownFact): string => valueLine(value, MOST_SHOWN);
