import { runInProcess } from '../adapters/cli/run-in-process.ts';

/** The lists under the headings of a help, apart from those that hold no commands. */
const COMMANDS = /^(?!Options|Arguments|Examples?)[A-Z][a-z ]+:\n((?: {2}.*\n?)+)/gm;

/** Returns the `--help` of the program, of each command, and of each command under it. */
export const describeCommands = async (path: readonly string[] = []): Promise<string[]> => {
  const { stdout } = await runInProcess([...path, '--help']);
  const heading = ['fact-memory-node', ...path].join(' ');
  const listed = [...stdout.matchAll(COMMANDS)].map(([, list = '']) => list).join('');
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
  const below: string[] = [];
  for (const name of names.filter((one) => one !== 'help')) below.push(...(await describeCommands([...path, name])));
  return [`${'#'.repeat(path.length + 2)} ${heading}`, '', '```text', stdout.trim(), '```', '', ...below];
};
