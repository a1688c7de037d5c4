import { Cron } from 'croner';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** The times of a task: cron patterns of five fields, in UTC. */
export interface Timetable {
  readonly task: string;
  readonly patterns: readonly string[];
  /** Returns the first time strictly after this one, in milliseconds since the epoch. Undefined if there is none. */
  nextAfter(ms: number): number | undefined;
}

const MAX_ENTRIES = 64;
const TASK_NAME = /^[a-z][a-z0-9-]{0,62}$/;
const MINUTE_MS = 60_000;

/**
 * Reads `lint 0 3 * * *; decay 30 3 * * *`: names of tasks, each with minute, hour, day of the month, month and day of
 * the week. Throws `validation` for anything else, because a skipped task would go unnoticed.
 */
export const readSchedule = (text: string): readonly Timetable[] => {
  const entries = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length > MAX_ENTRIES) throw refused(`has more than ${MAX_ENTRIES} entries`);
  const patterns = new Map<string, string[]>();
  for (const [at, entry] of entries.entries()) {
    const [task = '', ...fields] = entry.split(/\s+/);
    if (!TASK_NAME.test(task)) throw refused(`has an entry, number ${at + 1}, that does not begin with a task`);
    const known = patterns.get(task);
    if (known === undefined) patterns.set(task, [fields.join(' ')]);
    else known.push(fields.join(' '));
  }
  return [...patterns].map(([task, own]) => timetableOf(task, own));
};

const timetableOf = (task: string, patterns: readonly string[]): Timetable => {
  const readers = patterns.map((pattern) => compile(task, pattern));
  const nextAfter = (ms: number): number | undefined => {
    const times = readers.flatMap((next) => next(ms) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  };
  // A pattern that matches no time after 1970 never matches.
  if (nextAfter(0) === undefined) throw refused(`has a pattern for ${task} that fits no day`);
  return { task, patterns, nextAfter };
};

const compile = (task: string, pattern: string): ((ms: number) => number | undefined) => {
  // Refuses words such as @daily, and patterns with seconds: a task is due at most once a minute.
  if (pattern.split(' ').length !== 5) throw refused(`has a pattern for ${task} that has not five fields`);
  let cron: Cron;
  try {
    cron = new Cron(pattern, { timezone: 'UTC', mode: '5-part' });
  } catch {
    throw refused(`has a pattern for ${task} that is no cron pattern`);
  }
  return (ms) => {
    // Rounds down to whole minutes, because the library compares seconds.
    const from = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    try {
      return cron.nextRun(new Date(from))?.getTime();
    } catch {
      return undefined;
    }
  };
};

const refused = (what: string): ServiceError =>
  new ServiceError('validation', `SVC_UPKEEP_SCHEDULE ${what}`, {
    hint: 'write a task and five fields for each entry, such as "lint 0 3 * * *; decay 30 3 * * *" (times in UTC)',
  });
