/** One instruction of a Dockerfile, with continued lines joined. */
export interface Instruction {
  readonly name: string;
  readonly words: string;
}

export const readDockerfile = (text: string): Instruction[] =>
  text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', words = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { name, words };
    });

/**
 * Returns the words of an instruction in JSON form. Throws for the shell form, in which the program receives no
 * signals.
 */
export const programOf = ({ name, words }: Instruction): string[] => {
  const parsed: unknown = JSON.parse(words.slice(words.indexOf('[')));
  if (Array.isArray(parsed)) return parsed.map(String);
  throw new Error(`${name} is not in its JSON form`);
};
