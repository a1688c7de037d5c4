const NAME = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * Quotes the name of a table or column. Throws for anything but lower-case letters, digits and underscores, so that no
 * foreign text can become part of a statement.
 */
export const identifier = (name: string): string => {
  const known = quoted.get(name);
  if (known !== undefined) return known;
  if (!NAME.test(name)) throw new Error('names of tables and columns are lower-case letters, digits and underscores');
  const text = `"${name}"`;
  if (quoted.size < REMEMBERED_NAMES) quoted.set(name, text);
  return text;
};

const REMEMBERED_NAMES = 2048;
const quoted = new Map<string, string>();
