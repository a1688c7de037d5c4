import { encodeBase64Url, type InboundRequest, withinTime } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type OutboundReply,
  type Random,
  ServiceError,
  sha256Hex,
  type Transport,
} from '../../kernel/plugin-api.ts';
import type { SignIn } from './ask-node.ts';
import type { CodeGrant } from './identity-provider.ts';

export interface BrowserFlow {
  readonly transport: Pick<Transport, 'serve'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly signIn: SignIn;
  readonly authorizationEndpoint: string;
  readonly scope: string;
  readonly nonce: string;
  /** Shows a line to the user. */
  show(line: string): void;
}

const SECRET_BYTES = 32;
const WAIT_MS = 300_000;
const CLOSE_MS = 1_000;

/**
 * Signs in with a browser on this machine: shows an address, and takes the code that the provider sends back to a port
 * of this machine (RFC 8252, with PKCE). Rejects with `authentication` when the user refuses or takes too long.
 */
export const signInByBrowser = async (flow: BrowserFlow): Promise<CodeGrant> => {
  const { transport, clock, random, signIn, authorizationEndpoint, scope, nonce, show } = flow;
  const state = encodeBase64Url(random.bytes(SECRET_BYTES));
  const codeVerifier = encodeBase64Url(random.bytes(SECRET_BYTES));
  let resolve: (code: string) => void = () => {};
  let reject: (error: ServiceError) => void = () => {};
  const arrival = new Promise<string>((...settle) => {
    [resolve, reject] = settle;
  });
  // Prevents an unhandled rejection, because the provider may refuse before the code below awaits the result.
  arrival.catch(() => {});
  const takeCode = async (request: InboundRequest): Promise<OutboundReply> => {
    const query = new URLSearchParams(request.query);
    // Any page can send the browser here, but only the provider knows the state.
    if (query.get('state') !== state) return page(400, 'This is not the sign-in that was begun.');
    const code = query.get('code');
    const sentBy = query.get('iss');
    if (sentBy !== null && sentBy !== signIn.issuer) reject(refusal('another provider has answered'));
    else if (code === null || code === '') reject(refusal('the sign-in was refused'));
    else {
      resolve(code);
      return page(200, 'You are signed in. You can close this window.');
    }
    return page(400, 'You are not signed in. You can close this window.');
  };
  const listener = await transport.serve({
    endpoints: [{ method: 'GET', path: '/callback', handle: takeCode }],
    unmatched: async () => page(404, 'There is nothing here.'),
  });
  try {
    const redirectUri = `${listener.url}/callback`;
    const asked = {
      response_type: 'code',
      client_id: signIn.clientId,
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: encodeBase64Url(Buffer.from(sha256Hex(codeVerifier), 'hex')),
      code_challenge_method: 'S256',
    };
    const address = new URL(authorizationEndpoint);
    for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
    show(`Open this address in a browser on this machine:\n${address.href}`);
    const code = await withinTime(
      clock,
      WAIT_MS,
      () => arrival,
      () => refusal('the sign-in took too long'),
    );
    return { code, codeVerifier, redirectUri };
  } finally {
    await listener.close(CLOSE_MS);
  }
};

const refusal = (why: string): ServiceError => new ServiceError('authentication', `${why}: try again`);

/** Returns plain text, so that the browser never interprets parts of the query as HTML. */
const page = (status: number, body: string): OutboundReply => ({
  status,
  headers: {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  },
  body: `${body}\n`,
});
