import { ServiceError } from '../../ports/ports.ts';

/** Returns the refusal of an unknown path. It depends on the spelling of the path alone, so it reveals nothing. */
export const nothingAt = (path: string): ServiceError => {
  const slip = HAS_API_TWICE.test(path) ? ': the address of the node ends before /v1' : '';
  return new ServiceError('lookup', `there is nothing at this path${slip}`, {
    hint: 'the routes begin with /v1; "start --print" lists all of them',
  });
};

/** Matches the requests of a caller that takes `…/v1` or `…/v1/mcp` for the address of the node. */
const HAS_API_TWICE = /^\/v1\/(?:.+\/)?v1\//;
