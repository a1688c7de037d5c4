import { ServiceError } from '../../ports/ports.ts';
import type { CommandServer, ServerReply } from './command-server.ts';
import { refusedKey } from './refused-key.ts';
import { harmlessText } from './shown-text.ts';

const MAX_SHOWN = 1_000;

/** A command's request, with its body as JSON. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to a running node. Throws a refusal of the node as a `ServiceError`. */
export const askServer = async (
  server: Pick<CommandServer, 'send'>,
  { body, headers = {}, ...request }: Question,
): Promise<ServerReply> => {
  const json =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
  return acceptedReply(await server.send({ ...request, ...json }));
};

/** Every reply of a node has this header. */
const EVERY_REPLY = 'X-Request-Id';

/** Returns a reply of success. Throws a refusal of the node as a `ServiceError`, and `unavailable` for no node. */
export const acceptedReply = (reply: ServerReply): ServerReply => {
  if (!isOfNode(reply)) throw noNode(reply);
  if (reply.status < 400) return reply;
  throw refusalOf(reply);
};

/** A web page comes from another server, or from the console, whose address somebody took for that of the node. */
const isOfNode = (reply: ServerReply): boolean => {
  if (reply.status >= 400 && typeof reply.document['detail'] === 'string') return true;
  return reply.header(EVERY_REPLY) !== undefined && !/^text\/html\b/i.test(reply.header('Content-Type') ?? '');
};

const noNode = ({ status }: ServerReply): ServiceError => {
  const [said, hint] = BY_PROXY.get(status) ?? NO_NODE;
  return new ServiceError('unavailable', `${said}: it replied with status ${status}`, { status, hint });
};

type Reason = readonly [said: string, hint: string];

const NO_NODE: Reason = [
  'the server at this address is no node',
  'name the address of a node with --url or SVC_URL; a proxy in front of one must reach it, ' +
    `and pass on the header ${EVERY_REPLY}`,
];
const TOO_LARGE: Reason = [
  'a proxy in front of the node refused the size of the request',
  'raise its limit of request bodies, such as client_max_body_size of nginx, or send less at once',
];
const UNREACHED: Reason = [
  'a proxy does not reach the node',
  'start the node, or mend the address of it in the settings of the proxy',
];

const TOO_LATE: Reason = [
  'a proxy got no reply from the node in time',
  'look whether the node runs, or raise the time limit of the proxy, such as proxy_read_timeout of nginx',
];

/** Statuses that a reverse proxy in front of a node replies with by itself. */
const BY_PROXY: ReadonlyMap<number, Reason> = new Map([
  [413, TOO_LARGE],
  [502, UNREACHED],
  [504, TOO_LATE],
]);

/** Turns a refusal of the node into an error, with its text made safe for a terminal. */
const refusalOf = (reply: ServerReply): ServiceError => {
  const { status, document } = reply;
  const { detail, hint, errors } = document;
  const said = typeof detail === 'string' ? detail : `the node replied with status ${status}`;
  // A single member is often the whole detail, which would then be there twice.
  const why = [said, ...membersOf(errors).filter((member) => member !== said)]
    .map(harmlessText)
    .join('\n  ')
    .slice(0, MAX_SHOWN);
  const code = status >= 500 ? 'unavailable' : (CODES.get(status) ?? 'validation');
  if (typeof hint !== 'string') return new ServiceError(code, why, { status });
  if (code !== 'authentication') {
    return new ServiceError(code, why, { status, hint: harmlessText(hint).slice(0, MAX_SHOWN) });
  }
  const refused = refusedKey(reply);
  return new ServiceError(code, refused.message ?? why, { status, hint: refused.hint });
};

/** Returns the members that a problem document names. */
const membersOf = (errors: unknown): string[] =>
  Array.isArray(errors)
    ? errors.flatMap((error: unknown) => {
        const { path, message } = (error ?? {}) as { readonly path?: unknown; readonly message?: unknown };
        return typeof path === 'string' && typeof message === 'string' ? [`${path} ${message}`] : [];
      })
    : [];

const CODES = new Map([
  [401, 'authentication'],
  [403, 'authorization'],
  [404, 'lookup'],
] as const) as ReadonlyMap<number, 'authentication' | 'authorization' | 'lookup'>;
