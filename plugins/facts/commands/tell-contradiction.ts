import { countNoun, type ShownFact, shellQuote } from '../../../kernel/command-api.ts';

/** The maximum number of facts that the text names. */
const MOST_NAMED = 3;

/** A fact in the reply to its assertion. */
export interface AssertedFact extends ShownFact {
  readonly contradiction?: { readonly fact_ids: readonly string[]; readonly conflict_id: string };
}

/** Returns the remedies for a stored fact that others contradict, with a command for each. */
export const contradictionText = ({ id, relation, contradiction }: AssertedFact): string => {
  const ids = contradiction?.fact_ids ?? [];
  const number = countNoun(ids.length, 'fact');
  const named = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ', …' : '');
  const resolve = contradiction === undefined ? 'resolve' : `resolve ${contradiction.conflict_id}`;
  return `Stored; contradicts ${ids.length === 0 ? 'other facts' : `${number} (${named})`}. Recall leaves all of them out.
  correct it:  fact-memory-node correct ${id} 'the right value' --reason 'why'
  settle it:   fact-memory-node ${resolve} --winner ${id}
  or let the relation hold many values:
               fact-memory-node relations set ${shellQuote(relation)} --values many
`;
};
