import { type InboundRequest, mayHoldKey } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';

/** Returns the client's request id if it is safe in headers, bodies and logs, and holds no key; otherwise a new one. */
export const requestIdOf = (request: InboundRequest, random: Random): string => {
  const sent = request.header('x-request-id');
  if (sent === undefined || !SANE.test(sent)) return random.uuid();
  if (request.header('authorization')?.endsWith(` ${sent}`)) return random.uuid();
  return TRACE_ID.test(sent) || !mayHoldKey(sent) ? sent : random.uuid();
};

const SANE = /^[\x21-\x7e]{1,128}$/;
/** The form of trace ids, which proxies send as request ids. The node's own keys are longer. */
const TRACE_ID = /^[0-9a-f]{32}$/;
