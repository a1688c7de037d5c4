import {
  type CommandContext,
  defineCommand,
  factRows,
  jsonLine,
  readShare,
  type TypedValue,
  typedValue,
  wordOrInput,
} from '../../../kernel/command-api.ts';
import { VALUE_TYPES } from '../../../kernel/internal-api.ts';
import { SCOPES, ServiceError } from '../../../kernel/plugin-api.ts';
import { ownEntity, sendAssertion } from './send-assertion.ts';
import { type AssertedFact, contradictionText } from './tell-contradiction.ts';

const ARGUMENTS = {
  entity: { summary: 'what the fact is about, such as user:alice' },
  relation: { summary: 'what is said about it, such as memory:role' },
  value: { summary: 'what it is, or - for standard input', optional: true },
} as const;

const OPTIONS = {
  type: { type: 'text', value: 'type', of: VALUE_TYPES, summary: `type of the value: ${VALUE_TYPES.join(', ')}` },
  source: { type: 'text', value: 'uri', summary: 'who says so; the entity of your key unless given' },
  confidence: { type: 'text', value: 'number', summary: 'how sure the source is, from 0 to 1 (default: 1)' },
  scope: { type: 'text', value: 'word', of: SCOPES, summary: `who may read it: ${SCOPES.join(', ')} (default: local)` },
  garden: { type: 'text', value: 'name', summary: 'slug or URI of the garden to keep it in' },
  validFrom: { type: 'text', value: 'instant', summary: 'when it begins' },
  validUntil: { type: 'text', value: 'instant', summary: 'when it ends' },
  derivedFrom: { type: 'words', value: 'list', summary: 'ids or content ids of the facts that it follows from' },
  replaces: { type: 'words', value: 'list', summary: 'ids of the live facts that it ends, and no others' },
  reason: { type: 'text', value: 'text', summary: 'why, kept beside the fact' },
  retract: { type: 'flag', summary: 'take back what was said about this entity and relation, or --replaces alone' },
  json: { type: 'flag', summary: 'the stored fact as JSON' },
} as const;

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

export const assertCommand = defineCommand({
  name: 'assert',
  topic: 'daily',
  summary: 'store a fact',
  description:
    'Stores a fact: this entity has, for this relation, this value. Nothing is overwritten: another value for the same ' +
    'entity and relation is a contradiction, which "conflicts" shows and "resolve" settles.',
  notes: `Without --type the type is guessed: true and false are booleans, 12.5 is a number,
2026-03-02T09:00:00Z is a datetime, and everything else is a string or, with
several lines, a text. The type "ref" names another entity. Write -- before the
words where one begins with a dash: assert -- room:1 memory:celsius -5.`,
  examples: [
    'fact-memory-node assert user:alice memory:role CEO',
    'fact-memory-node assert user:alice memory:manager user:bob --type ref --confidence 0.8 --scope company',
    'fact-memory-node assert project:atlas memory:notes - < notes.txt',
    'fact-memory-node assert user:alice memory:role --retract',
    'fact-memory-node assert user:alice memory:likes --retract --replaces 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { options, stdout, stderr, clock, table } = context;
    const { value, isGuessed } = await givenValue(context);
    const source = options.source ?? (await ownEntity(context.server));
    const reply = await sendAssertion(context, { ...membersOf(context), value, source }, options.source === undefined);
    const fact = reply.document as unknown as AssertedFact;
    if (options.json) stdout.write(jsonLine(fact));
    else stdout.write(table(factRows(fact, { nowMs: clock.nowMs() })));
    if (isGuessed && value.type !== 'string')
      stderr.write(`The type ${value.type} was guessed; --type names another.\n`);
    if (fact.contradicted) stderr.write(contradictionText(fact));
  },
});

const givenValue = async ({ arguments: { value }, options, stdin }: Context): Promise<TypedValue> => {
  if (options.retract) {
    const excess = value === undefined ? (options.type ?? options.confidence) : value;
    if (excess === undefined) return { value: { type: 'null', v: null }, isGuessed: false };
    throw new ServiceError('validation', '--retract takes no value, type or confidence', {
      hint: 'it ends what was said about this entity and relation, whatever the value',
    });
  }
  if (value !== undefined) return typedValue(await wordOrInput(value, stdin), options.type);
  if (options.type === 'null') return typedValue('', options.type);
  throw new ServiceError('validation', 'the value is missing', { hint: 'give it as the third word, or - to read it' });
};

const membersOf = ({ arguments: { entity, relation }, options }: Context) => ({
  entity,
  relation,
  confidence: options.retract ? 0 : readShare('--confidence', options.confidence),
  scope: options.scope,
  garden_id: options.garden,
  valid_from: options.validFrom,
  valid_until: options.validUntil,
  replaces: options.replaces,
  reason: options.reason,
  derived_from: options.derivedFrom?.map((one) => (UUID.test(one) ? { fact_id: one } : one)),
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
