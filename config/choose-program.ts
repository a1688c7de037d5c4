/** The bundles of the program. Each starts faster than the next one, and knows fewer commands. */
export type ProgramName = 'hook' | 'mcp' | 'client' | 'program';

/** The first words of commands that need at most a running node. Tests compare them with the bundles. */
export const CLIENT_WORDS: ReadonlySet<string> = new Set([
  'assert',
  'conflicts',
  'connect',
  'decay',
  'disconnect',
  'doctor',
  'fact',
  'history',
  'jobs',
  'lint',
  'query',
  'recall',
  'resolve',
  'synthesis',
  'upkeep',
]);

/** Returns the smallest bundle for the arguments. Only `program` reads a configuration, which may disable plugins. */
export const chooseProgram = ([word = '', ...rest]: readonly string[]): ProgramName => {
  if (rest.some((part) => part.startsWith('--config'))) return 'program';
  if (word === 'hook' || word === 'mcp') return word;
  return CLIENT_WORDS.has(word) || word === '--version' || word === '-V' ? 'client' : 'program';
};
