import {
  askServer,
  type CommandContext,
  defineCommand,
  factRows,
  jsonLine,
  queryOf,
  type ShownFact,
  shortText,
} from '../../../kernel/command-api.ts';
import { columnText } from '../../../kernel/internal-api.ts';

const ARGUMENTS = { fact: { summary: 'id or content id of the fact' } } as const;
const OPTIONS = {
  asOf: { type: 'text', value: 'instant', summary: 'as the node knew it at that moment' },
  json: { type: 'flag', summary: 'the fact and its provenance as one JSON object' },
} as const;

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

interface Node {
  readonly hash: string;
  readonly fact_id?: string;
  readonly entity?: string;
}

export const factCommand = defineCommand({
  name: 'fact',
  topic: 'memory',
  summary: 'one fact, and what it was derived from',
  description: 'Shows a fact in any state, with its stamps and digests, and the facts that it was derived from.',
  examples: ['fact-memory-node fact 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11'],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { options, stdout } = context;
    const fact = await read(context, context.arguments.fact);
    const provenance = await read(context, String(fact['id']), '/provenance');
    if (options.json) {
      stdout.write(jsonLine({ fact, provenance }));
      return;
    }
    stdout.write(shownFact(fact as unknown as ShownFact & Stamps, context));
    stdout.write(derivation(provenance['nodes'] as readonly Node[], provenance['truncated'] === true, context));
  },
});

const read = async ({ options, server }: Context, fact: string, part = '') => {
  const query = queryOf({ as_of: options.asOf });
  const path = `/v1/facts/${encodeURIComponent(fact)}${part}${query === '' ? '' : `?${query}`}`;
  return (await askServer(server, { method: 'GET', path })).document;
};

interface Stamps {
  readonly cid: string;
  readonly hlc: string;
}

const shownFact = (fact: ShownFact & Stamps, { clock, table }: Context): string => {
  const { value, timestamp, cid, hlc } = fact;
  const more = [
    ['type', value.type],
    ['asserted', shortText(timestamp)],
    ['stamp', hlc],
    ['content id', cid],
  ];
  return `${table(factRows(fact, { nowMs: clock.nowMs() }))}\n${table(more)}`;
};

const derivation = (nodes: readonly Node[], isCut: boolean, { table }: Context): string => {
  if (nodes.length === 0) return '\nDerived from no other fact.\n';
  const rows = nodes.map(({ hash, fact_id, entity }) => [
    entity === undefined ? 'not there, or hidden from you' : columnText(entity),
    fact_id ?? hash,
  ]);
  return `\nDerived from:\n${table(rows)}${isCut ? 'There is more than a reply has room for.\n' : ''}`;
};
