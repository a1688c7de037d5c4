import type { Environment } from '../kernel/plugins/environment-value.ts';
import { closestName } from '../kernel/text/closest-name.ts';

const PREFIX = 'SVC_';
/** Read by clients, the command line and test runs, which may share an environment with the node. */
const READ_ELSEWHERE = /^SVC_(URL|API_KEY|TEST_.*)$/;

/** Variables with our prefix that no part of the node reads, most likely misspelt. Their values are not read. */
export const unusedVariables = (
  env: Environment,
  used: Iterable<string | undefined>,
): { readonly name: string; readonly near: string | undefined }[] => {
  const known = new Set([...used].filter((name) => name !== undefined));
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !READ_ELSEWHERE.test(name))
    .sort()
    .map((name) => ({ name, near: closestName(name, known) }));
};
