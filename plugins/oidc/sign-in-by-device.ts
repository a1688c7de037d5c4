import { type Clock, ServiceError, type Transport } from '../../kernel/plugin-api.ts';
import type { SignIn } from './ask-node.ts';
import { askProvider, type JsonObject, memberOf } from './fetch-document.ts';

export interface DeviceFlow {
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Clock;
  readonly signIn: SignIn;
  readonly deviceEndpoint: string;
  readonly tokenEndpoint: string;
  readonly scope: string;
  readonly nonce: string;
  /** Shows a line to the user. */
  show(line: string): void;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const DEFAULT_INTERVAL_S = 5;
const MAX_INTERVAL_S = 60;
/** The longest wait for a user, in seconds. */
const MAX_LIFE_S = 1_800;

/**
 * Signs in with a browser on any device (RFC 8628): shows an address and a code, and waits. Returns the id token.
 * Rejects with `authentication` when the user refuses or takes too long.
 */
export const signInByDevice = async (flow: DeviceFlow): Promise<string> => {
  const { transport, clock, signIn, deviceEndpoint, tokenEndpoint, scope, nonce, show } = flow;
  const { issuer, clientId } = signIn;
  const form = { client_id: clientId, scope, nonce };
  const { status, document } = await askProvider(transport, { issuer, url: deviceEndpoint, form });
  const [deviceCode, userCode, address] = ['device_code', 'user_code', 'verification_uri'].map((name) =>
    textOf(document, name),
  );
  if (status !== 200 || deviceCode === '' || userCode === '' || !/^https?:/.test(address ?? '')) {
    throw new ServiceError('unavailable', 'the identity provider takes no sign-in from a device', {
      hint: 'try --browser',
    });
  }
  show(`Open ${address} in a browser, and enter the code ${userCode}`);
  const endMs = clock.monotonicMs() + 1_000 * secondsOf(document, 'expires_in', MAX_LIFE_S, MAX_LIFE_S);
  let intervalS = secondsOf(document, 'interval', DEFAULT_INTERVAL_S, MAX_INTERVAL_S);
  while (clock.monotonicMs() < endMs) {
    await pause(clock, intervalS * 1_000);
    const poll = { grant_type: GRANT, client_id: clientId, device_code: deviceCode ?? '' };
    const reply = await askProvider(transport, { issuer, url: tokenEndpoint, form: poll });
    const token = textOf(reply.document, 'id_token');
    if (reply.status === 200 && token !== '') return token;
    const error = textOf(reply.document, 'error');
    if (error === 'slow_down') intervalS = Math.min(intervalS + DEFAULT_INTERVAL_S, MAX_INTERVAL_S);
    else if (error !== 'authorization_pending') throw refused(error);
  }
  throw refused('expired_token');
};

const refused = (error: string): ServiceError => {
  if (error === 'access_denied') return new ServiceError('authentication', 'the sign-in was refused');
  if (error === 'expired_token') return new ServiceError('authentication', 'the sign-in took too long: try again');
  return new ServiceError('unavailable', 'the identity provider broke the sign-in off');
};

/** Returns an empty text for a member with control characters, because a terminal would execute them. */
const textOf = (document: JsonObject, name: string): string => {
  const value = memberOf(document, name);
  return typeof value === 'string' && /^[\x21-\x7e]*$/.test(value) ? value : '';
};

const secondsOf = (document: JsonObject, name: string, usual: number, most: number): number => {
  const value = memberOf(document, name);
  return typeof value === 'number' && value >= 1 ? Math.min(value, most) : usual;
};

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.schedule(ms, resolve);
  });
