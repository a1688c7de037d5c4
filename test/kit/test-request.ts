import { type LoopbackNetwork, readReplyBody } from '../fakes/loopback-network.ts';

export interface RequestOptions {
  /** The bearer token. */
  readonly key?: string;
  /** The headers; a list allows one name twice. */
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  /** The body: text and bytes are sent unchanged, anything else as JSON. A given `Content-Type` is not replaced. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface TestReply {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text as JSON, undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: replies have any shape, and each test checks the members that it reads
  readonly body: any;
}

export type TestRequest = (method: string, target: string, options?: RequestOptions) => Promise<TestReply>;

/** Sends requests to the node at `url` like a client. `target` is the path with its query, sent unchanged. */
export const createTestRequest =
  (network: Pick<LoopbackNetwork, 'deliver'>, url: string): TestRequest =>
  async (method, target, { key, headers = {}, body, signal } = {}) => {
    const sent: (readonly [string, string])[] = Array.isArray(headers) ? [...headers] : Object.entries(headers);
    const has = (name: string): boolean => sent.some(([given]) => given.toLowerCase() === name);
    if (key !== undefined && !has('authorization')) sent.push(['Authorization', `Bearer ${key}`]);
    if (body !== undefined && !has('content-type')) sent.push(['Content-Type', 'application/json']);
    const reply = await network.deliver(url, {
      method,
      target,
      headers: sent,
      ...(body === undefined ? {} : { body: encode(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = Buffer.from(await readReplyBody(reply, { method })).toString();
    const lowerCase = Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]);
    return { status: reply.status, headers: Object.fromEntries(lowerCase), text, body: parse(text) };
  };

const encode = (body: unknown): Uint8Array => {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
