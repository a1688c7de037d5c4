import { ServiceError } from '../../ports/ports.ts';

/** Returns the refusal of an unknown path. It depends on the spelling of the path alone, so it reveals nothing. */
export const nothingAt = (path: string): ServiceError =>
  new ServiceError('lookup', `there is nothing at this path${slipOf(path)}`, {
    hint: 'the routes begin with /v1; "fact-memory-node start --print" lists all of them',
  });

const slipOf = (path: string): string => {
  if (HAS_API_TWICE.test(path)) return ': the address of the node ends before /v1';
  if (path.includes('//')) return ': it has two slashes in a row';
  return /^\/v1\/.*\/$/.test(path) ? ': it has a slash at its end' : '';
};

/** Matches the requests of a caller that takes `…/v1` or `…/v1/mcp` for the address of the node. */
const HAS_API_TWICE = /^\/v1\/(?:.+\/)?v1\//;
