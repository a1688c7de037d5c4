import type { CallOptions } from './call-types.ts';
import { ConnectionError, FactMemoryError } from './client-errors.ts';
import { freshKey, type Platform, pause } from './platform.ts';
import { readProblem, refusePage } from './read-reply.ts';
import { fillPath, type Query, spellQuery, splitRoute } from './request-target.ts';
import { delayBefore, deservesRetry, isRepeatable, KEYED_POSTS } from './retry-plan.ts';

/** Settings of every request of a client. */
export interface ConnectionSettings {
  /** The address without a trailing slash. */
  readonly url: string;
  readonly key: string | undefined;
  readonly serviceName: string;
  readonly session: string | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
  readonly platform: Platform;
}

/** One request, described by its route. */
export interface Outgoing extends CallOptions {
  /** The route with placeholders, for example `GET /v1/facts/{id}`. */
  readonly route: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Query | undefined;
  readonly body?: unknown;
}

/** Sends requests to one node, and retries them if that can help. Sends its key only to that node. */
export class Connection {
  readonly #settings: ConnectionSettings;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  get platform(): Platform {
    return this.#settings.platform;
  }

  get retries(): number {
    return this.#settings.retries;
  }

  /**
   * Sends a request and passes its reply to `read` within the time limit of the try. Rejects with a `FactMemoryError`
   * for any status but 2xx, after the last try, and with the reason of the signal when it is aborted.
   */
  async send<T>(outgoing: Outgoing, read: (response: Response) => T | Promise<T>): Promise<T> {
    const { retries, platform } = this.#settings;
    const request = this.#requestFor(outgoing);
    const repeatable = isRepeatable(outgoing.route, request.headers.has('idempotency-key'));
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#try(request, outgoing, read);
      } catch (error) {
        if (!(error instanceof FactMemoryError) || tries >= (outgoing.retries ?? retries)) throw error;
        if (!deservesRetry(error, repeatable)) throw error;
        await pause(platform, delayBefore(tries, error.retryAfter, platform.random()), outgoing.signal);
      }
    }
  }

  async #try<T>(
    { address, method, headers, body }: Request,
    { route, signal, timeoutMs = this.#settings.timeoutMs }: Outgoing,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const { fetch: send, platform, url } = this.#settings;
    const late = new AbortController();
    const cancel = timeoutMs > 0 ? platform.schedule(timeoutMs, () => late.abort()) : () => undefined;
    const ending = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    try {
      const response = await send(address, { method, headers, body, ...RULES, signal: ending });
      if (!response.ok) throw await readProblem(response);
      refusePage(response, route);
      return await read(response);
    } catch (error) {
      if (error instanceof FactMemoryError) throw error;
      signal?.throwIfAborted();
      throw late.signal.aborted ? timedOut(url, timeoutMs) : unreachable(url, error);
    } finally {
      cancel();
    }
  }

  #requestFor(outgoing: Outgoing): Request {
    const { url } = this.#settings;
    const [method, path] = splitRoute(outgoing.route);
    const address = url + fillPath(this.#servicePath(path), outgoing.params) + spellQuery(outgoing.query);
    const { body } = outgoing;
    return {
      address,
      method,
      headers: this.#headersFor(outgoing),
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    };
  }

  /** Replaces the service name in the one path that contains it. */
  #servicePath(path: string): string {
    return path === '/.well-known/svc' ? `/.well-known/${this.#settings.serviceName}` : path;
  }

  #headersFor({ route, body, headers, ...options }: Outgoing): Headers {
    const { key, serviceName, platform } = this.#settings;
    const name = serviceName.replace(/^./, (first) => first.toUpperCase());
    const all = new Headers({ accept: 'application/json', ...headers });
    const set = (header: string, value: string | undefined): void => {
      if (value !== undefined) all.set(header, value);
    };
    if (body !== undefined) set('content-type', typeof body === 'string' ? 'application/x-ndjson' : 'application/json');
    set('authorization', key === undefined ? undefined : `Bearer ${key}`);
    set('idempotency-key', options.idempotencyKey ?? (KEYED_POSTS.has(route) ? freshKey(platform) : undefined));
    set(`${name}-session`, options.session ?? this.#settings.session);
    set(`${name}-verify`, options.verify);
    set(`x-${name}-capability`, options.capability);
    return all;
  }
}

interface Request {
  readonly address: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
}

/** Refuses redirects and cookies, because the key is the only credential and must only reach the configured address. */
const RULES = { redirect: 'error', credentials: 'omit', cache: 'no-store' } as const;

const timedOut = (url: string, timeoutMs: number): ConnectionError =>
  new ConnectionError({ status: 0, code: 'timeout', detail: `no reply came from ${url} within ${timeoutMs} ms` });

const unreachable = (url: string, cause: unknown): ConnectionError =>
  new ConnectionError({ status: 0, code: 'connection', detail: `the node at ${url} could not be reached`, cause });
