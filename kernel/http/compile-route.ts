import {
  type Authorizer,
  type Clock,
  type Endpoint,
  type InboundRequest,
  type OutboundReply,
  type ServeOptions,
  ServiceError,
} from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import type { NodeSelf } from '../identity/node-self.ts';
import type { Logger } from '../log/logger.ts';
import { requireCompilable } from '../schemas/schema-validator.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import { admitRequest, compilePermissionCheck, identifyCaller } from './check-access.ts';
import { createClientAddress } from './client-address.ts';
import { errorReply } from './error-reply.ts';
import { HandlerRequest, WatchedRequest } from './handler-request.ts';
import { nothingAt } from './nothing-at.ts';
import { outboundReply } from './outbound-reply.ts';
import { CHEAP_COST, type Turns } from './person-turns.ts';
import { inPieces } from './pieces-in-turns.ts';
import { compileBodyReader } from './read-json-body.ts';
import { compilePathReader } from './read-path-parameters.ts';
import { compileQueryReader } from './read-query.ts';
import { RefusalDelays } from './refusal-delays.ts';
import { createRefusalReport, type ReportRefusal } from './report-refusal.ts';
import { compileCost } from './request-cost.ts';
import type { HttpRequestInfo } from './request-hooks.ts';
import { requestIdOf } from './request-id.ts';
import { RequestTelemetry } from './request-telemetry.ts';
import type { Reply } from './route-definition.ts';
import { type OwnedRoute, routeProblems, spellingsOf } from './route-table.ts';
import { runInTurn } from './run-in-turn.ts';
import { standardHeaders } from './standard-headers.ts';

export interface HttpOptions {
  readonly authorizer: Authorizer;
  readonly hooks: HookCaller;
  readonly self: NodeSelf;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly turns: Turns;
  /** The maximum body size in bytes for a route with the standard limit. */
  readonly maxBodyBytes: number;
  /** Checks each request first, and throws its refusal. Without it, every page may call. */
  readonly refuseForeignPage?: ((request: InboundRequest) => void) | undefined;
  /** Checks requests to routes that admit only known origins. Without it, they admit every page. */
  readonly refuseForeignOrigin?: ((request: InboundRequest) => void) | undefined;
  /**
   * Addresses and networks of proxies whose `X-Forwarded-For` names the client, used only to delay answers to refused
   * credentials.
   */
  readonly trustedProxies?: readonly string[];
  /** Checks replies in tests. A serving node has no such check. */
  readonly inspectReply?: InspectReply | undefined;
}

export interface RouteOptions extends HttpOptions {
  readonly routes: readonly OwnedRoute[];
}

/**
 * Checks a reply before the transport gets it; `route` is undefined for a request without a matching route. Its throw
 * replaces the reply.
 */
export type InspectReply = (reply: OutboundReply, route: OwnedRoute['route'] | undefined) => void;

/** The parts that all answers of one node share. */
interface Answering extends HttpOptions {
  /** Resolves when the refusal of the request's credential may be sent. */
  holdRefusal(request: InboundRequest): Promise<void>;
  /** Notifies plugins of a request that was refused with 401. */
  readonly reportRefusal: ReportRefusal;
  readonly measured: RequestTelemetry;
}

/**
 * Compiles routes for a transport. The checks run in this order: credential (before 404 and 405, so that the existence
 * of paths stays secret), route and method, `http:admit`, permission, parameters, body, and only then the handler.
 * Under `/v1` undeclared names are refused. Throws when `routeProblems` finds something.
 */
export const compileRoutes = (options: RouteOptions): ServeOptions => {
  const problems = routeProblems(options.routes);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const delays = new RefusalDelays(options.clock);
  const clientAddress = createClientAddress(options.trustedProxies ?? []);
  const answering: Answering = {
    ...options,
    holdRefusal: (request) => delays.hold(clientAddress(request), () => request.signal),
    reportRefusal: createRefusalReport(options.hooks, clientAddress),
    measured: new RequestTelemetry(options.telemetry),
  };
  return {
    endpoints: options.routes.flatMap((owned) => endpointsOf(owned, answering)),
    unmatched: async (request, allowed) =>
      inspected(await replyUnmatched(request, allowed, answering), undefined, options),
    refused: (error) => {
      const requestId = options.random.uuid();
      // Treats an unmatched request as protected, because it is unknown whether the request needed a credential.
      const headers = standardHeaders(requestId, true);
      const context = { log: options.log, names: options.self.names, requestId, headers, route: null };
      return inspected(errorReply(error, context), undefined, options);
    },
  };
};

type AnyRoute = OwnedRoute['route'];

const inspected = (reply: OutboundReply, route: AnyRoute | undefined, { inspectReply }: HttpOptions): OutboundReply => {
  inspectReply?.(reply, route);
  return reply;
};

/**
 * Returns the endpoints of a route. HEAD exists only for the open documents, which probes request; elsewhere it is not
 * found.
 */
const endpointsOf = (owned: OwnedRoute, options: Answering): readonly Endpoint[] => {
  const { route } = owned;
  const answerRequest = compileOwned(owned, options);
  const handle: Endpoint['handle'] =
    options.inspectReply === undefined
      ? answerRequest
      : async (request) => inspected(await answerRequest(request), route, options);
  const { method, holdsSecret } = route;
  const endpoints = spellingsOf(route).map((path) => ({ method, path, holdsSecret, handle }));
  if (route.access !== 'open' || method !== 'GET') return endpoints;
  return endpoints.flatMap((endpoint) => [endpoint, { ...endpoint, method: 'HEAD' }]);
};

/** Compiles a route. A failure names its plugin. */
const compileOwned = ({ route, plugin, isOfPackage }: OwnedRoute, options: Answering): Endpoint['handle'] => {
  try {
    if (isOfPackage !== true) requireSchemas(route);
    return compileRoute(route, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const named = `plugin "${plugin}": the route ${route.method} ${route.path}`;
    throw new Error(`${named} cannot be compiled: ${why}`, { cause: error });
  }
};

const compileRoute = (route: AnyRoute, options: Answering): Endpoint['handle'] => {
  const requirePermission = compilePermissionCheck(route.access);
  const readParams = compilePathReader(route.params);
  const isPartOfApi = isUnderApi(route.path);
  const readQuery = compileQueryReader(route.query, { others: isPartOfApi ? 'refused' : 'ignored' });
  const readBody = compileBodyReader(route, options.maxBodyBytes, { undeclared: isPartOfApi ? 'refused' : 'ignored' });
  const costOf = compileCost(route);
  const access = typeof route.access === 'string' ? route.access : 'key';
  const label = `${route.method} ${route.path}`;
  const match = { label, path: route.path, access, challenge: route.challenge } as const;
  const requireKnownOrigin = route.origins === 'known' ? options.refuseForeignOrigin : undefined;
  // Wraps the request only in tests, which check replies.
  const watched = options.inspectReply === undefined ? undefined : declaredHeaders(route);
  return (request) =>
    answer(request, match, options, async (requestId, headers) => {
      const info: HttpRequestInfo = { request, route: route.path, access, dimension: route.dimension ?? null };
      const caller = await identifyCaller(info, options);
      requireKnownOrigin?.(request);
      await admitRequest(info, caller, options.hooks, headers);
      requirePermission(caller);
      const params = readParams(request.pathParameters);
      const query = readQuery(request.query);
      const begunMs = options.clock.monotonicMs();
      const body = readBody === undefined ? undefined : await readBody(request);
      const cost = costOf(query, body);
      const reply = await runInTurn(options.turns, caller, cost, request, async () => {
        // Checks the credential again after a wait, because the key may be revoked by then, or its tenant suspended.
        if (access === 'key' && options.clock.monotonicMs() - begunMs >= LONG_WAIT_MS)
          await identifyCaller(info, options);
        return route.handle(
          watched === undefined
            ? new HandlerRequest(request, requestId, caller, params, query, body)
            : new WatchedRequest(watched, request, requestId, caller, params, query, body),
        );
      });
      // A cheap stream may wait for events within a piece, and would hold its turn for as long.
      return cost > CHEAP_COST ? inPieces(reply, { turns: options.turns, person: caller, cost, request }) : reply;
    });
};

const requireSchemas = ({ params, query, body, itemSchema }: AnyRoute): void => {
  for (const schema of [params, query, body, itemSchema]) if (schema !== undefined) requireCompilable(schema);
};

/** Returns the names of the headers that the handler may read. `Accept` is implied by the media types of answers. */
const declaredHeaders = ({ headers = {} }: AnyRoute): ReadonlySet<string> =>
  new Set(['accept', ...Object.keys(headers).map((name) => name.toLowerCase())]);

const replyUnmatched = (
  request: InboundRequest,
  allowed: readonly string[],
  options: Answering,
): Promise<OutboundReply> => {
  const isProtected = isUnderApi(request.path);
  const match = { label: null, path: null, access: isProtected ? 'key' : 'open' } as const;
  return answer(request, match, options, async () => {
    if (isProtected) await identifyCaller({ request, route: null, access: 'key', dimension: null }, options);
    if (allowed.length === 0) throw nothingAt(request.path);
    const methods = [...allowed].sort().join(', ');
    throw new ServiceError('method_not_allowed', `this path takes only ${methods}`, { headers: { Allow: methods } });
  });
};

const isUnderApi = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

interface RouteMatch {
  /** The method and pattern of the route; null without a match. */
  readonly label: string | null;
  readonly path: string | null;
  readonly access: HttpRequestInfo['access'];
  /** The parameters of `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
}

type Work = (requestId: string, headers: Record<string, string>) => Promise<Reply>;

/**
 * Adds the common parts of every answer: request id, cache rule, a problem document for any error, span and metrics.
 */
const answer = (request: InboundRequest, match: RouteMatch, options: Answering, work: Work): Promise<OutboundReply> => {
  const { measured, clock, random } = options;
  return measured.span(request, match.path, async (span) => {
    const startMs = clock.monotonicMs();
    const requestId = requestIdOf(request, random);
    const headers = standardHeaders(requestId, match.access !== 'open');
    let reply: OutboundReply;
    try {
      options.refuseForeignPage?.(request);
      reply = outboundReply(await work(requestId, headers), headers);
      if (reply.status === 401) await refuseCredential(request, match, options, 'authentication');
      const tookMs = clock.monotonicMs() - startMs;
      if (tookMs >= SLOW_REQUEST_MS) {
        options.log.info('slow request', { requestId, route: match.label, tookMs: Math.round(tookMs) });
      }
    } catch (error) {
      reply = await refusalReply(error, request, match, { options, requestId, headers });
    }
    measured.answered(request, match.path, reply, clock.monotonicMs() - startMs, span);
    return reply;
  });
};

interface Refused {
  readonly options: Answering;
  readonly requestId: string;
  readonly headers: Record<string, string>;
}

const refusalReply = async (
  error: unknown,
  request: InboundRequest,
  { label: route, path, access, challenge }: RouteMatch,
  { options, requestId, headers }: Refused,
): Promise<OutboundReply> => {
  const { log, self, measured } = options;
  measured.refused(error);
  const reply = errorReply(error, {
    log,
    names: self.names,
    requestId,
    instance: request.path,
    headers,
    route,
    challenge,
    authorization: request.header('authorization'),
  });
  if (error instanceof ServiceError && reply.status === 401) {
    await refuseCredential(request, { path, access }, options, error.code);
  }
  return reply;
};

/** Reports a refused credential. Resolves when the node may send the reply, which slows down guesses. */
const refuseCredential = async (
  request: InboundRequest,
  { path, access }: Pick<RouteMatch, 'path' | 'access'>,
  { reportRefusal, holdRefusal }: Answering,
  code: string,
): Promise<void> => {
  // Delays only requests with a credential, because others do not guess. An open route may take a credential in its
  // body.
  const presentsCredential = access === 'open' || request.headerCount('authorization') > 0;
  reportRefusal(request, { path, access, presentsCredential }, code);
  if (presentsCredential) await holdRefusal(request);
};

const SLOW_REQUEST_MS = 1_000;
/** The wait after which the credential is checked again. A revoked key stops working within this time. */
const LONG_WAIT_MS = 1_000;
