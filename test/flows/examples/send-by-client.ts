import { FactClient, FactMemoryError } from '../../../client/client.ts';
import type { ExampleRequest } from './example-row.ts';
import type { Way } from './send-raw.ts';

/** The types of the client describe each route alone; here are all of them. */
interface AnyRoute {
  send(route: string, input: object): Promise<{ readonly status: number | string; readonly data: unknown }>;
}

/** Through the client that programs use, by the name of the route. */
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

/** As the client spells it, with parameters in braces. */
const nameOf = ({ route: { method, path } }: ExampleRequest): string =>
  `${method} ${path.replace(/[:*]([a-z_]+)/g, '{$1}')}`;

/** Of a stream the first event, which ends it. */
const textOf = async (data: unknown): Promise<string> => {
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data)) return JSON.stringify(data) ?? '';
  for await (const event of data as AsyncIterable<unknown>) return JSON.stringify(event);
  return '';
};
