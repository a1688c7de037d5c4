import type { CommandServer, ServerReply } from '../../kernel/command-api.ts';
import { type LocalRequests, type NodeSelf, type RouteRequest, ServiceError } from '../../kernel/plugin-api.ts';
import { linesOf } from './draft-chunks.ts';
import { isObject } from './origin-values.ts';

/**
 * Sends the requests of an import to the node in which this code runs, as the caller of `outer`. So an import in a node
 * has the rights, the checks and the counts of the command. Throws once the signal has aborted.
 */
export const localServer = (
  // biome-ignore lint/suspicious/noExplicitAny: a request of any route
  outer: RouteRequest<any, any, any>,
  { routes, self }: { readonly routes: LocalRequests; readonly self: NodeSelf },
  signal: AbortSignal,
): Pick<CommandServer, 'send'> => ({
  async send({ method, path, headers = {}, session, body }) {
    signal.throwIfAborted();
    const [pattern, query = ''] = path.split('?', 2);
    const { 'content-type': _, ...own } = headers;
    const { status, text, header } = await routes.send(outer, {
      route: `${method} ${pattern}`,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { ...own, ...(session !== undefined && { [self.names.headers.session.toLowerCase()]: session }) },
      ...(body === undefined ? {} : { body: linesOf(Buffer.from(body)).map((line) => JSON.parse(line) as unknown) }),
    });
    return { status, text, header, document: documentOf(text) };
  },
});

/** Returns the refusal of a request as the node has said it, because its caller sends requests and runs no command. */
export const refusalInside = ({ status, document }: ServerReply): ServiceError => {
  const { code, detail, hint } = document;
  const id = typeof code === 'string' ? code : 'unavailable';
  const advice = typeof hint === 'string' ? { hint } : {};
  return new ServiceError({ id, status }, typeof detail === 'string' ? detail : `the node answered ${status}`, advice);
};

/** Returns the reply of a route of this node, of any length: that of a batch repeats each fact. */
const documentOf = (text: string): Readonly<Record<string, unknown>> => {
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  return isObject(parsed) ? parsed : {};
};
