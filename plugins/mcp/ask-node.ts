import { askServer, type CommandServer } from '../../kernel/command-api.ts';
import { type RouteQuestion, spellQuestion } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type LocalRequests,
  type Principal,
  type RouteRequest,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { JsonObject } from './refused-question.ts';

/** The caller of the tools. */
export interface Caller {
  readonly entityUri: string;
  readonly tenantId: string;
  /** Ids of permissions. */
  readonly permissions: ReadonlySet<string>;
}

export interface NodeReply {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends requests to the routes of a node as one caller. Tools use only these routes, so that they work in the same way
 * within the node and over HTTP, and never exceed their caller's rights.
 */
export interface AskNode {
  /** The caller. Throws until the node has identified it; see `ready`. */
  readonly caller: Caller;
  /** Returns true if the caller has the permission, and until the node has identified the caller. */
  allows(permission: string): boolean;
  /**
   * Returns true if the node has the route, and while its routes are unknown. Returns false if the route's plugin is
   * disabled.
   */
  serves(route: string): boolean;
  /** Resolves when the node has identified the caller. Rejects if the node does not reply or refuses the key. */
  ready(): Promise<void>;
  /**
   * Resolves when the node has identified the caller; never rejects. Undefined if the caller is known from the start.
   */
  readonly known?: Promise<void>;
  nowMs(): number;
  /** Sends a request. Resolves for every status. */
  send(question: RouteQuestion): Promise<NodeReply>;
}

/** Calls routes of the node in which this code runs, as the caller of `outer`. */
export const askLocally = (
  // biome-ignore lint/suspicious/noExplicitAny: a request of any route
  outer: RouteRequest<any, any, any>,
  routes: LocalRequests,
  clock: Pick<Clock, 'nowMs'>,
): AskNode => ({
  caller: callerOf(outer.caller),
  allows: (permission) => outer.caller.permissions.has(permission),
  serves: (route) => routes.serves(route),
  ready: async () => {},
  nowMs: () => clock.nowMs(),
  send: (question) => routes.send(outer, question),
});

const callerOf = ({ entityUri, tenantId, permissions }: Principal): Caller => ({ entityUri, tenantId, permissions });

/**
 * Calls routes of a running node with the key of the command. `ready` requests the caller's identity until the node has
 * replied once, so a node that starts later is found by the next call.
 */
export const askOverHttp = (server: Pick<CommandServer, 'send'>, clock: Pick<Clock, 'nowMs'>): AskNode => {
  const send = async (question: RouteQuestion): Promise<NodeReply> => {
    const { method, path, query } = spellQuestion(question);
    const { body, headers = {} } = question;
    const reply = await server.send({
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
    return { status: reply.status, text: reply.text };
  };
  let known: { readonly caller: Caller; readonly routes: ReadonlySet<string> | undefined } | undefined;
  let tell: () => void = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let asking: Promise<void> | undefined;
  const learn = async (): Promise<void> => {
    const caller = await readMe(server);
    known = { caller, routes: await readRoutes(send) };
    tell();
  };
  return {
    get caller() {
      if (known === undefined) throw new ServiceError('unavailable', 'the node has not said yet who its caller is');
      return known.caller;
    },
    allows: (permission) => known === undefined || known.caller.permissions.has(permission),
    serves: (route) => known?.routes === undefined || known.routes.has(spelledByOpenApi(route)),
    ready: async () => {
      if (known !== undefined) return;
      asking ??= learn().finally(() => {
        asking = undefined;
      });
      await asking;
    },
    known: told,
    nowMs: () => clock.nowMs(),
    send,
  };
};

/** Reads a reply. It may come from another server, and may not be JSON. */
const readObject = (text: string): JsonObject => {
  try {
    return { ...(JSON.parse(text) as JsonObject) };
  } catch {
    return {};
  }
};

const readMe = async (server: Pick<CommandServer, 'send'>): Promise<Caller> => {
  const { status, document } = await askServer(server, { method: 'GET', path: '/v1/me' });
  const { entity_uri: entityUri, tenant_id: tenantId, permissions } = document;
  if (typeof entityUri !== 'string' || !Array.isArray(permissions)) {
    throw new ServiceError('unavailable', `the node does not say who its caller is; it replied with status ${status}`, {
      hint: 'check that the address is that of a node, and that the node is ready',
    });
  }
  return { entityUri, tenantId: String(tenantId), permissions: new Set(permissions.map(String)) };
};

/**
 * Returns the routes of the node by method and path. Undefined if the node has no API description: then a call shows
 * whether its route exists.
 */
const readRoutes = async (send: AskNode['send']): Promise<ReadonlySet<string> | undefined> => {
  const { status, text } = await send({ route: 'GET /v1/openapi.json' });
  if (status !== 200) return undefined;
  const { paths } = readObject(text) as { readonly paths?: Readonly<Record<string, object>> };
  if (paths === undefined) return undefined;
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  );
};

const spelledByOpenApi = (route: string): string => route.replaceAll(/[:*]([a-z][a-z0-9_]*)/g, '{$1}');
