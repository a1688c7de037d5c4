import { Help } from 'commander';
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

/** Orders the groups of a help. By default, Commander orders the groups by the commands that were added first. */
export const TOPIC_HELP: Partial<Help> = {
  groupItems: (items, shown, headingOfItem) => {
    const ordered = items.toSorted((a, b) => ORDER.indexOf(headingOfItem(a)) - ORDER.indexOf(headingOfItem(b)));
    return Help.prototype.groupItems(ordered, shown, headingOfItem);
  },
};
