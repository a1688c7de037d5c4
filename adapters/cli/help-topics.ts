import { Command, Help } from 'commander';
import type { CommandTopic } from '../../kernel/internal-api.ts';

const HEADINGS: Readonly<Record<CommandTopic, string>> = {
  daily: 'Every day:',
  memory: 'The whole memory:',
  agents: 'Agents and their rights:',
  node: 'The node:',
};
const OTHER_HEADING = 'Other commands:';
const ORDER: readonly string[] = [...Object.values(HEADINGS), OTHER_HEADING];

export const headingOf = (topic: CommandTopic | undefined): string =>
  topic === undefined ? OTHER_HEADING : HEADINGS[topic];

/** The commands of every day, the most frequent first. Others of their group follow. */
const DAILY: readonly string[] = ['recall', 'assert', 'query', 'correct', 'conflicts', 'resolve'];

const useOf = (item: unknown): number => {
  const at = item instanceof Command ? DAILY.indexOf(item.name()) : -1;
  return at < 0 ? DAILY.length : at;
};

/**
 * Orders the groups of a help, and the commands of every day. By default, Commander orders both by the time at which
 * they were added.
 */
export const TOPIC_HELP: Partial<Help> = {
  groupItems: (items, shown, headingOfItem) => {
    const ordered = items.toSorted((a, b) => ORDER.indexOf(headingOfItem(a)) - ORDER.indexOf(headingOfItem(b)));
    const byUse = shown.toSorted((a, b) => useOf(a) - useOf(b));
    return Help.prototype.groupItems(ordered, byUse, headingOfItem);
  },
};
