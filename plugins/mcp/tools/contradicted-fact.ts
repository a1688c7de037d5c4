import type { AskNode } from '../ask-node.ts';
import type { Rival } from './same-spelling.ts';

/** The rivals that a reply names. */
const MOST_NAMED = 10;

/** Returns the ids of the newest rivals. */
export const namedRivals = (rivals: readonly Rival[]): readonly string[] =>
  rivals.slice(0, MOST_NAMED).map(({ id }) => id);

/** Returns the sentences about a stored fact that others contradict, with the call for each way out. */
export const contradictionText = (relation: string, rivals: readonly Rival[], node: AskNode): string => {
  if (rivals.length === 0) return '';
  const number = rivals.length === 1 ? '1 fact' : `${rivals.length} facts`;
  const rule = JSON.stringify({ pattern: relation, values: 'many' });
  return [
    `It contradicts ${number} (${namedRivals(rivals).join(', ')}), and recall leaves all of them out.`,
    'Ask the user which one holds, and settle it: conflicts shows the conflict_id, and resolve takes it with',
    'winning_fact_id, or with new_value for a correction.',
    ...(node.serves('PUT /v1/relations')
      ? [`If all hold, an administrator lets the relation hold many values: PUT /v1/relations ${rule}.`]
      : []),
  ].join(' ');
};
