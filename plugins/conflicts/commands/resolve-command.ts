import {
  askServer,
  type CommandContext,
  type CommandServer,
  defineCommand,
  factRows,
  jsonLine,
  readPages,
  type ShownFact,
  typedValue,
} from '../../../kernel/command-api.ts';
import { VALUE_TYPES } from '../../../kernel/internal-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { headingOf, type ShownConflict } from './shown-conflict.ts';

/** The maximum number of facts offered at a terminal. In a larger contradiction, `--winner` can name any fact. */
const MOST_OFFERED = 20;
/** The maximum number of conflicts searched for the id that the command names. */
const MOST_LOOKED_THROUGH = 10_000;

const ARGUMENTS = {
  conflict: { summary: 'id of the conflict; the only open one unless given', optional: true },
} as const;

const OPTIONS = {
  winner: { type: 'text', value: 'id', summary: 'the fact that is right' },
  value: { type: 'text', value: 'text', summary: 'another value, where no fact is right' },
  type: { type: 'text', value: 'type', of: VALUE_TYPES, summary: `type of that value: ${VALUE_TYPES.join(', ')}` },
  note: { type: 'text', value: 'text', summary: 'why' },
  json: { type: 'flag', summary: 'the reply of the node as JSON' },
} as const;

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

export const resolveCommand = defineCommand({
  name: 'resolve',
  topic: 'daily',
  summary: 'settle a contradiction',
  description:
    'Says which fact of a contradiction is right, or which other value. The answer becomes a fact of yours, and the ' +
    'others stay as history. At a terminal the command asks; elsewhere name a winner or a value.',
  notes: 'The type of a value is guessed as "assert" does unless --type names it.',
  examples: [
    'fact-memory-node resolve',
    'fact-memory-node resolve svc:conflict:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11 --value CFO --note "asked Alice"',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { arguments: given, options, server, stdout, stderr } = context;
    const made = decided(options);
    const conflict =
      made === undefined || given.conflict === undefined ? await findConflict(server, given.conflict) : undefined;
    const decision = made ?? (await choose(context, conflict as ShownConflict));
    if (decision === undefined) {
      stderr.write('Nothing was settled.\n');
      return;
    }
    const path = `/v1/conflicts/${encodeURIComponent(given.conflict ?? conflict?.conflict_id ?? '')}/resolve`;
    const body = { ...decision, resolution_note: options.note };
    const { document } = await askServer(server, { method: 'POST', path, body });
    stdout.write(options.json ? jsonLine(document) : `Settled by the fact ${document['resolution_fact_id']}\n`);
  },
});

type Decision = { readonly winning_fact_id: string } | { readonly new_value: object };

const decided = ({ winner, value, type }: Context['options']): Decision | undefined => {
  if (winner !== undefined && value !== undefined) {
    throw new ServiceError('validation', '--winner and --value exclude one another', { hint: 'give one of them' });
  }
  if (type !== undefined && value === undefined) {
    throw new ServiceError('validation', '--type is the type of --value, which is missing');
  }
  if (winner !== undefined) return { winning_fact_id: winner };
  return value === undefined ? undefined : { new_value: typedValue(value, type).value };
};

const requireSomebody = ({ ask, options }: Context): NonNullable<Context['ask']> => {
  if (ask !== undefined && !options.json) return ask;
  throw new ServiceError('validation', 'nothing says which fact is right', {
    hint: 'name it with --winner, or give another value with --value',
  });
};

/**
 * Shows the facts and asks the person to choose one. Returns undefined if the person chooses none, so that the
 * contradiction stays open.
 */
const choose = async (context: Context, conflict: ShownConflict): Promise<Decision | undefined> => {
  const { server, clock, table, stderr } = context;
  const ask = requireSomebody(context);
  const nowMs = clock.nowMs();
  const facts = await readFacts(server, conflict.members.slice(0, MOST_OFFERED));
  stderr.write(headingOf(conflict, nowMs));
  stderr.write(table(facts.flatMap((fact, at) => factRows(fact, { lead: `${at + 1}.`, nowMs }))));
  if (conflict.members.length > facts.length) stderr.write('There are more, which --winner can name.\n');
  for (;;) {
    const answer = (await ask(`Which one is right? 1 to ${facts.length}, or Enter to leave it open: `)).trim();
    if (answer === '') return undefined;
    const winner = /^\d{1,2}$/.test(answer) ? facts[Number(answer) - 1] : undefined;
    if (winner !== undefined) return { winning_fact_id: winner.id };
  }
};

const findConflict = (server: CommandServer, id: string | undefined): Promise<ShownConflict> =>
  id === undefined ? onlyConflict(server) : namedConflict(server, id);

const onlyConflict = async (server: CommandServer): Promise<ShownConflict> => {
  const { document } = await askServer(server, { method: 'GET', path: '/v1/conflicts?limit=2' });
  const [only, another] = document['conflicts'] as readonly ShownConflict[];
  if (only === undefined) throw new ServiceError('lookup', 'there is no open conflict that you may see');
  if (another === undefined) return only;
  throw new ServiceError('validation', 'several conflicts are open', {
    hint: 'name one of those that "fact-memory-node conflicts" shows',
  });
};

const namedConflict = async (server: CommandServer, id: string): Promise<ShownConflict> => {
  const asked = { path: '/v1/conflicts', query: {}, list: 'conflicts', limit: MOST_LOOKED_THROUGH };
  for await (const { items } of readPages<ShownConflict>(server, asked)) {
    // Accepts the bare UUID as well, as the API does.
    const found = items.find(({ conflict_id }) => conflict_id === id || conflict_id.endsWith(`:${id}`));
    if (found !== undefined) return found;
  }
  throw new ServiceError('lookup', 'there is no open conflict of this id that you may see', {
    hint: '"fact-memory-node conflicts" shows their ids',
  });
};

const readFacts = async (server: CommandServer, ids: readonly string[]): Promise<readonly ShownFact[]> => {
  const facts: ShownFact[] = [];
  for (const id of ids) {
    const { document } = await askServer(server, { method: 'GET', path: `/v1/facts/${encodeURIComponent(id)}` });
    facts.push(document as unknown as ShownFact);
  }
  return facts;
};
