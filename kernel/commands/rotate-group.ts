import type { AnyCommand, CommandGroup } from './command-definition.ts';

/**
 * Returns the group `rotate`, which several plugins share: each adds the command for its own credential. Groups with
 * the same name and summary are merged.
 */
export const rotateGroup = (...commands: readonly AnyCommand[]): CommandGroup => ({
  name: 'rotate',
  topic: 'node',
  summary: 'replace a key or a secret without a break',
  description:
    'Puts a new key or secret beside the one that is in use. Both are good for a while, so that nothing is refused ' +
    'while others take the new one up; then the old one ends by itself.',
  commands,
});
