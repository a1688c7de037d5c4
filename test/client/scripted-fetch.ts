import { FactClient } from '../../client/client.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import type { Platform } from '../../client/platform.ts';

/** A request that the scripted server received. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * One scripted result: a reply, an error, a request that hangs until it is aborted (`never`), or a stream that stays
 * silent after its text.
 */
export type Scripted = Response | Error | 'never' | { readonly silentAfter: string } | (() => Response);

export interface ScriptedServer {
  readonly client: FactClient;
  readonly sent: readonly SentRequest[];
  /** Pauses between attempts, in milliseconds. */
  readonly pauses: readonly number[];
}

const TIMEOUT_MS = 30_000;

/**
 * Creates a client whose server replies from a list and repeats the last entry. Pauses end at once, and so does
 * `never`.
 */
export const scriptedServer = (replies: readonly Scripted[], options: ClientOptions = {}): ScriptedServer => {
  const sent: SentRequest[] = [];
  const pauses: number[] = [];
  let hangs = false;
  const platform: Platform = {
    now: () => 0,
    random: () => 0.5,
    bytes: (count) => new Uint8Array(count).fill(sent.length + 1),
    schedule: (delayMs, callback) => {
      const isTimeout = delayMs >= TIMEOUT_MS;
      if (!isTimeout) pauses.push(delayMs);
      const timer = setImmediate(function look() {
        if (isTimeout && !hangs) timers.add(setImmediate(look));
        else callback();
      });
      const timers = new Set([timer]);
      return () => {
        for (const one of timers) clearImmediate(one);
      };
    },
  };
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', headers, body, signal } = init;
    const request = { url, method, headers: new Headers(headers), body: typeof body === 'string' ? body : undefined };
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? new Error('no reply is scripted');
    sent.push(request);
    if (reply instanceof Error) throw reply;
    if (typeof reply === 'function') return reply();
    if (reply instanceof Response) return reply.clone();
    hangs = true;
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        hangs = false;
        reject(signal.reason);
      });
    });
    if (reply === 'never') return aborted;
    const silent = ReadableStream.from(silentStream(reply.silentAfter, aborted));
    return new Response(silent, { headers: { 'content-type': 'text/event-stream' } });
  };
  const client = new FactClient({
    url: 'https://node.example',
    key: SECRET_KEY,
    timeoutMs: TIMEOUT_MS,
    fetch: send as typeof fetch,
    platform,
    ...options,
  });
  return { client, sent, pauses };
};

async function* silentStream(text: string, aborted: Promise<never>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
  yield await aborted;
}

export const SECRET_KEY = 'a-key-that-nobody-may-see';

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const problem = (
  status: number,
  code: string,
  members: object = {},
  headers: Readonly<Record<string, string>> = {},
): Response =>
  json(status, { type: `urn:svc:problem:${code}`, title: 'x', status, code, detail: 'said', ...members }, headers);
