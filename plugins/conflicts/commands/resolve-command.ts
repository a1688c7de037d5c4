import {
  askServer,
  type CommandContext,
  type CommandServer,
  defineCommand,
  factRows,
  jsonLine,
  readPages,
  ServiceError,
  type ShownFact,
  typedValue,
  VALUE_TYPES,
} from '../../../kernel/plugin-api.ts';
import { headingOf, type ShownConflict } from './shown-conflict.ts';

/** Facts to choose among at a terminal; where more contradict one another, `--winner` names any. */
const MOST_OFFERED = 20;
/** Conflicts to look through for the one that was named. */
const MOST_LOOKED_THROUGH = 10_000;

const ARGUMENTS = { conflict: { summary: 'id of the conflict, as "fact-memory-node conflicts" shows it' } } as const;

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
  summary: 'settle a contradiction',
  description:
    'Says which fact of a contradiction is right, or which other value. The answer becomes a fact of yours, and the ' +
    'others stay as history. At a terminal the command asks; elsewhere name a winner or a value.',
  notes: 'The type of a value is guessed as "assert" does unless --type names it.',
  examples: [
    'fact-memory-node resolve svc:conflict:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
    'fact-memory-node resolve svc:conflict:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11 --value CFO --note "asked Alice"',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { arguments: given, options, server, stdout, stderr } = context;
    const decision = decided(options) ?? (await choose(context));
    if (decision === undefined) {
      stderr.write('Nothing was settled.\n');
      return;
    }
    const path = `/v1/conflicts/${encodeURIComponent(given.conflict)}/resolve`;
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

/** Shows the facts and asks for one. Undefined where the person leaves the contradiction open. */
const choose = async (context: Context): Promise<Decision | undefined> => {
  const { arguments: given, server, ask, clock, table, stderr } = context;
  if (ask === undefined || context.options.json) {
    throw new ServiceError('validation', 'nothing says which fact is right', {
      hint: 'name it with --winner, or give another value with --value',
    });
  }
  const conflict = await findConflict(server, given.conflict);
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

const findConflict = async (server: CommandServer, id: string): Promise<ShownConflict> => {
  const asked = { path: '/v1/conflicts', query: {}, list: 'conflicts', limit: MOST_LOOKED_THROUGH };
  for await (const { items } of readPages<ShownConflict>(server, asked)) {
    // The bare UUID will do, as for the node.
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
