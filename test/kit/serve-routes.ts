import { KERNEL_WORDS } from '../../kernel/boot/kernel-words.ts';
import { HookBus } from '../../kernel/hooks/hook-bus.ts';
import { compileRoutes } from '../../kernel/http/compile-route.ts';
import { PersonTurns } from '../../kernel/http/person-turns.ts';
import type { OwnedRoute } from '../../kernel/http/route-table.ts';
import { createServiceNames } from '../../kernel/identity/service-names.ts';
import type { Answers } from '../../kernel/internal-api.ts';
import { type Authorizer, DEFAULT_TENANT, type Principal, type Route, ServiceError } from '../../kernel/plugin-api.ts';
import { createTelemetry } from '../../kernel/telemetry/create-telemetry.ts';
import { collectComponents } from '../../kernel/vocabulary/components.ts';
import { collectWords, KERNEL_OWNER } from '../../kernel/vocabulary/vocabulary.ts';
import type { ServeOptions } from '../../ports/ports.ts';
import { createLoopbackNetwork, type LoopbackRequest, readReplyBody } from '../fakes/loopback-network.ts';
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../fakes/memory-logger.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { checkReplies } from './check-replies.ts';

export interface Answer {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly json: any;
}

export type Ask = (method: string, target: string, request?: AskOptions) => Promise<Answer>;

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>> | LoopbackRequest['headers'];
  /** The body; anything but text and bytes is sent as JSON. */
  readonly body?: unknown;
}

/** Routes behind the HTTP layer of the kernel, without a node and without sockets. */
export interface ServedRoutes {
  readonly ask: Ask;
  readonly hooks: HookBus;
  readonly clock: ManualClock;
  readonly logged: LogLine[];
  readonly serveOptions: ServeOptions;
}

/** The bearer tokens of `serveRoutes`, and their permissions. */
export const TOKENS = { reader: 'reader-token', writer: 'writer-token', down: 'store-is-down' } as const;

const principal = (entityUri: string, permissions: readonly ('read' | 'write')[]): Principal => ({
  kind: 'key',
  entityUri,
  permissions: new Set(permissions),
  allowedScopes: new Set(['public']),
  tenantId: DEFAULT_TENANT,
  keyId: entityUri,
  oidcSub: null,
});

const PRINCIPALS = new Map([
  [TOKENS.reader, principal('agent:reader', ['read'])],
  [TOKENS.writer, principal('agent:writer', ['read', 'write'])],
] as const);

const tokenAuthorizer: Authorizer = {
  authenticate(token) {
    if (token === TOKENS.down)
      throw new ServiceError('unavailable', 'the store cannot be reached', { hint: 'at 10.0.0.5' });
    const found = PRINCIPALS.get(token as 'reader-token');
    if (found === undefined) throw new ServiceError('authentication', 'a valid API key is required');
    return found;
  },
};

/** A route that declares no answers may return anything but a refusal that is no problem document. */
// biome-ignore lint/suspicious/noExplicitAny: routes of any shape
export type TestRoute = Omit<Route<any, any, any>, 'answers'> & { readonly answers?: Answers };

const CORE_COMPONENTS = collectComponents(
  collectWords(
    KERNEL_WORDS.map((word) => ({ word, owner: KERNEL_OWNER })),
    [],
  ),
);

const NODE_URL = 'http://node.test';

export const serveRoutes = (
  routes: readonly TestRoute[],
  options: {
    readonly serviceName?: string;
    readonly maxBodyBytes?: number;
    readonly authorizer?: Authorizer;
    readonly trustedProxies?: readonly string[];
  } = {},
): ServedRoutes => {
  const logged: LogLine[] = [];
  const log = createMemoryLogger(logged);
  const clock = createManualClock();
  const hooks = new HookBus({ clock, log });
  const names = createServiceNames(options.serviceName ?? 'svc');
  const serveOptions = compileRoutes({
    routes: routes.map((route) => ({ route: route as OwnedRoute['route'], plugin: 'test' })),
    authorizer: options.authorizer ?? tokenAuthorizer,
    hooks,
    self: { names, nodeId: names.nodeId('1'), nodeUrl: NODE_URL, authority: 'node.test' },
    clock,
    random: createSeededRandom(),
    log,
    telemetry: createTelemetry(),
    turns: new PersonTurns(),
    maxBodyBytes: options.maxBodyBytes ?? 1_000,
    trustedProxies: options.trustedProxies ?? [],
    inspectReply: checkReplies(CORE_COMPONENTS),
  });
  return { ask: askThrough(serveOptions), hooks, clock, logged, serveOptions };
};

const askThrough = (serveOptions: ServeOptions): Ask => {
  const network = createLoopbackNetwork();
  const serving = network.transport(NODE_URL).serve(serveOptions);
  return async (method, target, { headers = {}, body } = {}) => {
    await serving;
    const listed = Array.isArray(headers) ? headers : Object.entries(headers);
    const bytes = body === undefined ? {} : { body: toBytes(body) };
    const reply = await network.deliver(NODE_URL, { method, target, headers: listed, ...bytes });
    const text = Buffer.from(await readReplyBody(reply, { method })).toString();
    const lowered = Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const isJson = text !== '' && /json$/.test(reply.headers['Content-Type'] ?? '');
    return {
      status: reply.status,
      headers: Object.fromEntries(lowered),
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
};

const toBytes = (body: unknown): Uint8Array => {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

/** Returns the headers of a request with a token, and of one with a token and JSON. */
export const bearing = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
export const sendingJson = (token: string): Record<string, string> => ({
  ...bearing(token),
  'Content-Type': 'application/json',
});
