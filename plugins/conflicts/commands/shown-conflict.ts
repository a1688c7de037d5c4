import { ageOf, type Cell, countNoun, type ShownFact, valueLine } from '../../../kernel/command-api.ts';
import { columnText } from '../../../kernel/internal-api.ts';

/** A conflict as the API returns it. */
export interface ShownConflict {
  readonly conflict_id: string;
  readonly status: 'unresolved' | 'resolved';
  readonly resolved_by: string | null;
  readonly detected_at: string;
  readonly members: readonly string[];
  readonly fact_a: ShownFact;
  readonly fact_b: ShownFact;
}

/** Returns one line with the entity, relation and scope of the contradiction, and one line with its id. */
export const headingOf = ({ conflict_id, fact_a, members, detected_at }: ShownConflict, nowMs: number): string => {
  const about = `${columnText(fact_a.entity)} ${columnText(fact_a.relation)} (${fact_a.scope})`;
  return `${about}: ${countNoun(members.length, 'fact')}, found ${ageOf(detected_at, nowMs)}\n${columnText(conflict_id)}\n`;
};

/** Returns the contradiction as the command `conflicts` shows it: both facts side by side, under a heading. */
export const conflictTable = (
  conflict: ShownConflict,
  nowMs: number,
  table: (rows: readonly (readonly Cell[])[], form: { readonly titled: boolean }) => string,
): string => {
  const sides = table(sideBySide([conflict.fact_a, conflict.fact_b], nowMs), { titled: true });
  const end = conflict.resolved_by === null ? '' : `resolved by ${conflict.resolved_by}\n`;
  return `${headingOf(conflict, nowMs)}${sides}${end}\n`;
};

/** Returns table rows with one column per fact. */
const sideBySide = (facts: readonly ShownFact[], nowMs: number): readonly (readonly Cell[])[] => [
  ['', ...facts.map((_, at) => String.fromCharCode('A'.charCodeAt(0) + at))],
  ['value', ...facts.map(({ value }): Cell => ({ text: valueLine(value), style: 'strong' }))],
  ['source', ...facts.map(({ source }) => columnText(source))],
  ['confidence', ...facts.map(({ confidence }) => confidence.toFixed(2))],
  ['asserted', ...facts.map(({ timestamp }) => ageOf(timestamp, nowMs))],
  ['fact', ...facts.map(({ id }) => id)],
];
