import type { Entry } from './audit.tsx';

/** Entries that follow one another and say the same of one agent. */
export interface EntryGroup {
  readonly key: string;
  /** Newest first; at least two. */
  readonly entries: readonly Entry[];
  readonly isOpen: boolean;
}

/** A row of the list: an entry, or the head of a group. */
export type AuditRow = Entry | EntryGroup;

export const isGroup = (row: AuditRow): row is EntryGroup => 'entries' in row;

export const keyOfRow = (row: AuditRow): string => (isGroup(row) ? row.key : row.id);

/** The number of like entries from which on they share a row. */
const LEAST = 3;

/** Puts entries in a row that follow one another with the same event and agent. Open groups list theirs below. */
export const groupEntries = (entries: readonly Entry[], open: ReadonlySet<string>): readonly AuditRow[] => {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run !== undefined && isAlike(run[0] as Entry, entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run): readonly AuditRow[] => {
    if (run.length < LEAST) return run;
    // The newest entry names the group, because older ones are added to it as the list grows.
    const key = `group ${run[0]?.id}`;
    const isOpen = open.has(key);
    return [{ key, entries: run, isOpen }, ...(isOpen ? run : [])];
  });
};

const isAlike = (one: Entry, other: Entry): boolean =>
  one.event_type === other.event_type && one.entity_uri === other.entity_uri && one.source === other.source;
