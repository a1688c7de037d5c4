import { FactClient, FactMemoryError } from '../../../client/client.ts';
import type { ExampleRequest } from './example-row.ts';
import type { Way } from './send-raw.ts';

/** A route of any type, because the client types describe each route separately. */
interface AnyRoute {
  send(route: string, input: object): Promise<{ readonly status: number | string; readonly data: unknown }>;
}

/** Sends an example through the client library, by the name of the route. */
export const CLIENT: Way = {
  name: 'client',
  async send({ url }, request) {
    const { params, query, body, headers, credential: key } = request;
    const client = new FactClient({ url, key, retries: 0 });
    try {
      const { status, data } = await (client as AnyRoute).send(nameOf(request), { params, query, body, headers });
      return { status: Number(status), text: await textOf(data) };
    } catch (error) {
      if (!(error instanceof FactMemoryError)) throw error;
      return { status: error.status, text: error.message };
    }
  },
};

/** Returns the name of the route in the client, with path parameters in braces. */
const nameOf = ({ route: { method, path } }: ExampleRequest): string =>
  `${method} ${path.replace(/[:*]([a-z_]+)/g, '{$1}')}`;

/** Returns the body as text; of a stream, only the first event. */
const textOf = async (data: unknown): Promise<string> => {
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data)) return JSON.stringify(data) ?? '';
  for await (const event of data as AsyncIterable<unknown>) return JSON.stringify(event);
  return '';
};
