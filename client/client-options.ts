import type { ConnectionSettings } from './connection.ts';
import { environment, PLATFORM, type Platform } from './platform.ts';
import { readBaseUrl } from './request-target.ts';

export interface ClientOptions {
  /** The address of the node. Default: `SVC_URL`, else `http://127.0.0.1:8765`. */
  readonly url?: string | undefined;
  /** The API key. Default: `SVC_API_KEY`, but only for the address from the environment. */
  readonly key?: string | undefined;
  /** The source of assertions without one. */
  readonly source?: string | undefined;
  /** The session of all calls, up to 128 characters. */
  readonly session?: string | undefined;
  /** The time limit of each try in milliseconds. 0 sets no limit. Default: 30000. */
  readonly timeoutMs?: number | undefined;
  /** The number of further tries of a failed request that is safe to repeat. Default: 2. */
  readonly retries?: number | undefined;
  /** Replaces the platform's `fetch`, for example to use a proxy. */
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
    // Calls `fetch` without a receiver, as browsers require, and looks it up late, so that a test can replace the
    // global one.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
  };
};

/**
 * Returns address and key. A key from the environment belongs to the address from the environment, and is never sent to
 * an address that a program sets.
 */
const readAddress = ({ url, key }: ClientOptions): { readonly url: string; readonly key: string | undefined } => {
  if (url !== undefined) return { url, key: readKey(key) };
  const { SVC_URL: address, SVC_API_KEY: known } = environment();
  return { url: address || DEFAULT_URL, key: readKey(key ?? (known || undefined)) };
};

/** Checks that a header can contain the key, because the platform's error would repeat it. */
const readKey = (key: string | undefined): string | undefined => {
  const trimmed = key?.trim();
  if (trimmed === undefined || /^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new TypeError('"key" must be visible ASCII characters');
};
