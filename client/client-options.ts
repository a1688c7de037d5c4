import type { ConnectionSettings } from './connection.ts';
import { environment, PLATFORM, type Platform } from './platform.ts';
import { readBaseUrl } from './request-target.ts';

export interface ClientOptions {
  /** Address of the node. Default: `SVC_URL`, else `http://127.0.0.1:8765`. */
  readonly url?: string | undefined;
  /** API key. Default: `SVC_API_KEY`, but only for the address of the environment. */
  readonly key?: string | undefined;
  /** Source of assertions without one. */
  readonly source?: string | undefined;
  /** Session of all calls, up to 128 characters. */
  readonly session?: string | undefined;
  /** For each try. 0 waits without end. Default: 30000. */
  readonly timeoutMs?: number | undefined;
  /** Further tries of a failed request that is safe to repeat. Default: 2. */
  readonly retries?: number | undefined;
  /** Replaces the platform's own, for example to use a proxy. */
  readonly fetch?: typeof fetch | undefined;
  /** The name of the service on the node (`SVC_SERVICE_NAME`). Default: `svc`. */
  readonly serviceName?: string | undefined;
  /** Replaces the clock and randomness of the machine, for tests. */
  readonly platform?: Platform | undefined;
}

export interface ReadOptions extends ConnectionSettings {
  readonly source: string | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:8765';
const TIMEOUT_MS = 30_000;
const RETRIES = 2;
const MAX_RETRIES = 20;

/** The options with their defaults. Throws a TypeError for an invalid one; the key is never repeated. */
export const readOptions = (options: ClientOptions): ReadOptions => {
  const { serviceName = 'svc', timeoutMs = TIMEOUT_MS, retries = RETRIES, platform = PLATFORM } = options;
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(serviceName)) throw new TypeError('"serviceName" is no name of a service');
  if (!(timeoutMs >= 0)) throw new TypeError('"timeoutMs" must be 0 or more');
  if (!Number.isInteger(retries) || retries < 0 || retries > MAX_RETRIES) {
    throw new TypeError(`"retries" must be a whole number from 0 to ${MAX_RETRIES}`);
  }
  const { url, key } = readAddress(options);
  return {
    url: readBaseUrl(url),
    key,
    source: options.source,
    session: options.session,
    serviceName,
    timeoutMs,
    retries,
    platform,
    // Called without a receiver, as browsers require it; and late, so that a test can replace the global one.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
  };
};

/**
 * A key of the environment belongs to the node of the environment, and is never sent to an address that a program
 * gives.
 */
const readAddress = ({ url, key }: ClientOptions): { readonly url: string; readonly key: string | undefined } => {
  if (url !== undefined) return { url, key: readKey(key) };
  const { SVC_URL: address, SVC_API_KEY: known } = environment();
  return { url: address || DEFAULT_URL, key: readKey(key ?? (known || undefined)) };
};

/** A header cannot hold anything else, and the error of the platform would repeat it. */
const readKey = (key: string | undefined): string | undefined => {
  const trimmed = key?.trim();
  if (trimmed === undefined || /^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new TypeError('"key" must be visible ASCII characters');
};
