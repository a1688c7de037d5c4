import { shellQuote } from '../../kernel/command-api.ts';
import type { Client } from './clients/client.ts';

/** Tells how a client that reaches the node over HTTP gets its key, because its configuration names no file. */
export const keyOverHttp = ({ title, asksForKey }: Client, variable: string, file: string | undefined): string => {
  if (asksForKey === true) return `${title} asks for the key once${file === undefined ? '' : `: it is in ${file}`}.`;
  const example = file === undefined ? '' : `, such as after: export ${variable}="$(cat ${shellQuote(file)})"`;
  return `${title} sends the key in its variable ${variable}: start it with that variable${example}`;
};
