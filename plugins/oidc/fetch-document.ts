import { parseStrictJson } from '../../kernel/internal-api.ts';
import { ServiceError, type Transport } from '../../kernel/plugin-api.ts';

/** Timeout of one request to the identity provider, in milliseconds. */
export const PROVIDER_TIMEOUT_MS = 5_000;
/** The maximum size of a document. Documents of real providers have some ten thousand bytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024;
const MAX_URL_LENGTH = 2_048;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A reply of the identity provider. */
export interface ProviderReply {
  readonly status: number;
  /** Empty if the body is not a JSON object. */
  readonly document: JsonObject;
}

interface ProviderRequest {
  readonly issuer: string;
  readonly url: string;
  /** Sent as a form by POST. Without it the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
}

/**
 * Sends one request to the identity provider. The operator chose the provider, so its own origin may have any address.
 * Other addresses that it publishes must be public and use https. Redirects are not followed. Rejects with
 * `unavailable` if there is no answer.
 */
export const askProvider = async (
  transport: Pick<Transport, 'send'>,
  { issuer, url, form }: ProviderRequest,
): Promise<ProviderReply> => {
  const reply = await transport.send({
    method: form === undefined ? 'GET' : 'POST',
    url,
    headers: { Accept: 'application/json', ...(form !== undefined && { 'Content-Type': FORM_TYPE }) },
    ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
    allowPrivate: new URL(url).origin === new URL(issuer).origin,
    timeoutMs: PROVIDER_TIMEOUT_MS,
    maxResponseBytes: MAX_DOCUMENT_BYTES,
    purpose: 'identity',
  });
  return { status: reply.status, document: objectOf(reply.body) };
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

const objectOf = (body: Uint8Array): JsonObject => {
  try {
    const parsed = parseStrictJson(body, 'document');
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an own member, never an inherited one such as `constructor`. */
export const memberOf = (document: JsonObject, name: string): unknown =>
  Object.hasOwn(document, name) ? document[name] : undefined;

/** Rejects with `unavailable` if the provider does not return the document. */
export const fetchDocument = async (
  transport: Pick<Transport, 'send'>,
  request: ProviderRequest,
  what: string,
): Promise<JsonObject> => {
  const { status, document } = await askProvider(transport, request);
  if (status !== 200) throw providerFailure(`its ${what} has the status ${status}`);
  return document;
};

/** Returns the address of an endpoint from a document of the provider. Undefined if the document does not name it. */
export const endpointOf = (document: JsonObject, name: string, issuer: string): string | undefined => {
  const url = memberOf(document, name);
  if (url === undefined || url === null) return undefined;
  const isGood = typeof url === 'string' && url.length <= MAX_URL_LENGTH && URL.canParse(url);
  if (!isGood) throw providerFailure(`its ${name} is no address`);
  const { protocol, origin } = new URL(url);
  if (protocol === 'https:' || origin === new URL(issuer).origin) return url;
  throw providerFailure(`its ${name} is not https`);
};

/** The error for an invalid answer of the provider. `reason` must not contain a value that the provider sent. */
export const providerFailure = (reason: string, hint?: string): ServiceError =>
  new ServiceError(
    'unavailable',
    `the identity provider cannot be used: ${reason}`,
    hint === undefined ? {} : { hint },
  );
