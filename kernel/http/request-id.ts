import type { InboundRequest } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';

/** Returns the client's request id if it is safe in headers, bodies and logs, and not its key; otherwise a new one. */
export const requestIdOf = (request: InboundRequest, random: Random): string => {
  const sent = request.header('x-request-id');
  if (sent === undefined || !SANE.test(sent)) return random.uuid();
  return request.header('authorization')?.endsWith(` ${sent}`) ? random.uuid() : sent;
};

const SANE = /^[\x21-\x7e]{1,128}$/;
