import { askServer, type CommandServer, type ShownFact, shellQuote } from '../../../kernel/command-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';

/** The facts and conflicts that are read to name those that a stored fact is part of. */
const MOST_READ = 100;
/** The facts that the text names. */
const MOST_NAMED = 3;

/** Returns what to do about a stored fact that others contradict, with the command for each way out. */
export const contradictionText = async (server: CommandServer, fact: ShownFact): Promise<string> => {
  const ids = await rivalIds(server, fact);
  const conflict = await conflictOf(server, fact);
  const number = ids.length === 1 ? '1 fact' : `${ids.length} facts`;
  const named = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ', …' : '');
  const resolve = conflict === undefined ? 'resolve' : `resolve ${conflict}`;
  return `Stored; contradicts ${ids.length === 0 ? 'other facts' : `${number} (${named})`}. Recall leaves all of them out.
  correct it:  fact-memory-node ${resolve} --value 'the right value'
  settle it:   fact-memory-node ${resolve} --winner ${fact.id}
  or let the relation hold many values:
               fact-memory-node relations set ${shellQuote(fact.relation)} --values many
`;
};

const rivalIds = async (server: CommandServer, fact: ShownFact): Promise<readonly string[]> => {
  const { id, entity, relation, scope, garden_id: garden } = fact;
  const query = new URLSearchParams({ entity, relation, scope, include_contradicted: 'true', limit: `${MOST_READ}` });
  if (garden != null) query.set('garden_id', garden);
  const found = (await listed(server, `/v1/facts?${query}`, 'facts')) as readonly ShownFact[];
  const own = JSON.stringify(fact.value);
  return found.filter((one) => one.id !== id && JSON.stringify(one.value) !== own).map((one) => one.id);
};

interface ListedConflict {
  readonly conflict_id: string;
  readonly members: readonly string[];
}

const conflictOf = async (server: CommandServer, { id }: ShownFact): Promise<string | undefined> => {
  const found = (await listed(server, `/v1/conflicts?limit=${MOST_READ}`, 'conflicts')) as readonly ListedConflict[];
  return found.find(({ members }) => members.includes(id))?.conflict_id;
};

/** Returns nothing to a key that may not read, because its fact is stored all the same. */
const listed = async (server: CommandServer, path: string, member: string): Promise<readonly unknown[]> => {
  try {
    const { document } = await askServer(server, { method: 'GET', path });
    return document[member] as readonly unknown[];
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
};
