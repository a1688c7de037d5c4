import type { ExampleRequest } from './example-row.ts';
import type { Stage } from './stage.ts';

/** One way of sending an example. Returns the status of the answer after reading its body. */
export interface Way {
  readonly name: string;
  send(stage: Stage, request: ExampleRequest): Promise<{ readonly status: number; readonly text: string }>;
}

/** Sends an example as `curl` would. */
export const RAW: Way = {
  name: 'raw',
  async send({ url }, request) {
    const { route, body, credential, headers, isStream } = request;
    const ending = new AbortController();
    const reply = await fetch(`${url}${targetOf(request)}`, {
      method: route.method,
      headers: {
        ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: ending.signal,
    });
    if (!isStream || !reply.ok) return { status: reply.status, text: await reply.text() };
    const text = await firstEvent(reply);
    ending.abort();
    return { status: reply.status, text };
  },
};

/** Returns the path with its parameters and the query. */
const targetOf = ({ route, params, query }: ExampleRequest): string => {
  const path = route.path.replace(/[:*]([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return search.size === 0 ? path : `${path}?${search}`;
};

const firstEvent = async ({ body }: Response): Promise<string> => {
  let text = '';
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString();
    if (/^data: .*\n\n/m.test(text)) break;
  }
  return text;
};
