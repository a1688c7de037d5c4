import { countNoun } from '../../../kernel/command-api.ts';
import type { JsonObject } from '../refused-question.ts';

/** The member of a stored fact that names the facts that it contradicts, and the calls that help. */
interface Contradiction {
  readonly fact_ids: readonly string[];
  readonly conflict_id: string;
  readonly hold_many?: string;
}

/** Returns the ids of the facts that a stored fact contradicts. */
export const contradictedIds = (stored: JsonObject): readonly string[] => contradictionOf(stored)?.fact_ids ?? [];

const contradictionOf = (stored: JsonObject) => stored['contradiction'] as Contradiction | undefined;

/** Returns the sentences about a stored fact that others contradict, with the call for each remedy. */
export const contradictionText = (stored: JsonObject): string => {
  const told = contradictionOf(stored);
  if (told === undefined) return '';
  const own = String(stored['id']);
  const { fact_ids: ids, conflict_id: conflict, hold_many: rule } = told;
  const number = countNoun(ids.length, 'fact');
  return [
    `It contradicts ${number} (${ids.join(', ')}), and recall leaves all of them out.`,
    `Ask the user which one holds, and settle it: resolve takes conflict_id ${conflict} with winning_fact_id.`,
    `Correct it where none holds: assert the right value with reason, and replaces [${[own, ...ids].join(', ')}].`,
    ...(rule === undefined ? [] : [`If all hold, an administrator lets the relation hold many values: ${rule}.`]),
  ].join(' ');
};
