import {
  askServer,
  type CommandContext,
  type CommandServer,
  defineCommand,
  factRows,
  jsonLine,
  queryOf,
  type ShownFact,
  typedValue,
  wordOrInput,
} from '../../../kernel/command-api.ts';
import { VALUE_TYPES } from '../../../kernel/internal-api.ts';
import { ownEntity, sendAssertion } from './send-assertion.ts';
import { type AssertedFact, contradictionText } from './tell-contradiction.ts';

/** The maximum number of facts that one fact may end. */
const MOST_ENDED = 100;

const ARGUMENTS = {
  fact: { summary: 'id of the fact that is wrong' },
  value: { summary: 'the right value, or - for standard input' },
} as const;

const OPTIONS = {
  reason: { type: 'text', value: 'text', summary: 'why, kept beside the new fact' },
  type: {
    type: 'text',
    value: 'type',
    of: VALUE_TYPES,
    summary: 'type of the value; the one of the fact unless given',
  },
  source: { type: 'text', value: 'uri', summary: 'who says so; the entity of your key unless given' },
  opinion: { type: 'flag', summary: 'only add another opinion: end nothing, and let both contradict' },
  json: { type: 'flag', summary: 'the stored fact as JSON' },
} as const;

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

interface KnownFact extends ShownFact {
  readonly garden_id: string | null;
  readonly value: ShownFact['value'] & { readonly interpret_as?: string };
}

export const correctCommand = defineCommand({
  name: 'correct',
  topic: 'daily',
  summary: 'store the right value, and settle it',
  description:
    'Stores the right value in place of a fact. It ends the fact and every fact that contradicts it, in one step, so ' +
    'that nothing is left to settle. The old facts stay as history.',
  examples: [
    "fact-memory-node correct 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11 CFO --reason 'asked Alice'",
    'fact-memory-node correct 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11 CFO --opinion',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { options, server, stdin, stdout, stderr, clock, table } = context;
    const old = await readFact(server, context.arguments.fact);
    const { value } = typedValue(
      await wordOrInput(context.arguments.value, stdin),
      options.type ?? (old.value.type as (typeof VALUE_TYPES)[number]),
    );
    const reply = await sendAssertion(context, await correctionOf(context, old, value), true);
    const fact = reply.document as unknown as AssertedFact;
    if (options.json) stdout.write(jsonLine(fact));
    else stdout.write(table(factRows(fact, { nowMs: clock.nowMs() })));
    if (fact.contradicted) stderr.write(contradictionText(fact));
  },
});

const correctionOf = async ({ options, server }: Context, old: KnownFact, value: object) => ({
  entity: old.entity,
  relation: old.relation,
  scope: old.scope,
  garden_id: old.garden_id,
  value: { ...value, interpret_as: old.value.interpret_as },
  source: options.source ?? (await ownEntity(server)),
  reason: options.reason,
  ...(!options.opinion && { replaces: await endedBy(server, old) }),
});

const readFact = async (server: CommandServer, id: string): Promise<KnownFact> => {
  const { document } = await askServer(server, { method: 'GET', path: `/v1/facts/${encodeURIComponent(id)}` });
  return document as unknown as KnownFact;
};

/** Returns the ids of the fact and of those in its place that it contradicts. */
const endedBy = async (server: CommandServer, { id, entity, relation, scope, garden_id, contradicted }: KnownFact) => {
  if (!contradicted) return [id];
  const query = queryOf({ entity, relation, scope, include_contradicted: 'true', limit: String(MOST_ENDED) });
  const { document } = await askServer(server, { method: 'GET', path: `/v1/facts?${query}` });
  const rivals = (document['facts'] as readonly KnownFact[]).filter(
    (fact) => fact.contradicted && fact.garden_id === garden_id && fact.id !== id,
  );
  return [id, ...rivals.map((fact) => fact.id)].slice(0, MOST_ENDED);
};
