import type { Environment } from '../kernel/plugins/environment-value.ts';
import { closestName } from '../kernel/text/closest-name.ts';

const PREFIX = 'SVC_';
/** Matches variables of clients, the command line and test runs, which may share an environment with the node. */
const READ_ELSEWHERE = /^SVC_(URL|API_KEY|TEST_.*)$/;

/** Returns the variables with the service's prefix that no part of the node reads, which are probably misspelt. */
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
