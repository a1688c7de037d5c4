import {
  type CommandServer,
  type LocalRequests,
  type Principal,
  type RouteQuestion,
  type RouteRequest,
  ServiceError,
  spellQuestion,
} from '../../kernel/plugin-api.ts';
import type { JsonObject } from './refused-question.ts';

/** Who uses the tools. */
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
 * The routes of a node, as one caller. Tools know nothing else of the node, so that they do the same inside it and over
 * HTTP, and can do no more than their caller.
 */
export interface AskNode {
  readonly caller: Caller;
  /** Whether the node has the route: the plugin of a route may be switched off. */
  serves(route: string): boolean;
  /** Any status is a reply. */
  send(question: RouteQuestion): Promise<NodeReply>;
}

/** Asks the node in which this runs, as the caller of `outer`. */
export const askLocally = (
  // biome-ignore lint/suspicious/noExplicitAny: a request of any route
  outer: RouteRequest<any, any, any>,
  routes: LocalRequests,
): AskNode => ({
  caller: callerOf(outer.caller),
  serves: (route) => routes.serves(route),
  send: (question) => routes.send(outer, question),
});

const callerOf = ({ entityUri, tenantId, permissions }: Principal): Caller => ({ entityUri, tenantId, permissions });

/** Asks a running node with the key of the command. Throws where the node does not say who the caller is. */
export const askOverHttp = async (server: CommandServer): Promise<AskNode> => {
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
  const me = await readMe(send);
  const routes = await readRoutes(send);
  return { caller: me, serves: (route) => routes === undefined || routes.has(spelledByOpenApi(route)), send };
};

/** What answers may be no node at all, and no JSON. */
const readObject = (text: string): JsonObject => {
  try {
    return { ...(JSON.parse(text) as JsonObject) };
  } catch {
    return {};
  }
};

const readMe = async (send: AskNode['send']): Promise<Caller> => {
  const { status, text } = await send({ route: 'GET /v1/me' });
  if (status === 401) {
    throw new ServiceError('authentication', 'the node refuses the key', {
      hint: 'set SVC_API_KEY to a key of this node, or give its file with --key-file',
    });
  }
  const { entity_uri: entityUri, tenant_id: tenantId, permissions } = readObject(text);
  if (status !== 200 || typeof entityUri !== 'string' || !Array.isArray(permissions)) {
    throw new ServiceError('unavailable', `the node does not say who its caller is; it replied with status ${status}`, {
      hint: 'check that the address is that of a node, and that the node is ready',
    });
  }
  return { entityUri, tenantId: String(tenantId), permissions: new Set(permissions.map(String)) };
};

/** The routes of the node by method and path, undefined where it has no description: then a tool finds out itself. */
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
