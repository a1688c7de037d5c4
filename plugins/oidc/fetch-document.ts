import { parseStrictJson } from '../../kernel/internal-api.ts';
import { ServiceError, type Transport } from '../../kernel/plugin-api.ts';

/** For one answer of the identity provider, in milliseconds. */
export const PROVIDER_TIMEOUT_MS = 5_000;
/** Documents of real providers have some ten thousand bytes at most. */
const MAX_DOCUMENT_BYTES = 256 * 1024;
const MAX_URL_LENGTH = 2_048;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A reply of the identity provider. */
export interface ProviderReply {
  readonly status: number;
  /** Empty where the body is no JSON object. */
  readonly document: JsonObject;
}

interface ProviderRequest {
  readonly issuer: string;
  readonly url: string;
  /** Sent as a form. Without it the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
}

/**
 * Sends one request to the identity provider. The operator has named the provider, so its own origin may be anywhere;
 * other addresses that it names must be public ones and https. Redirects are not followed. Rejects with `unavailable`
 * when there is no answer.
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

/** An own member, so that `__proto__` and `constructor` are none. */
export const memberOf = (document: JsonObject, name: string): unknown =>
  Object.hasOwn(document, name) ? document[name] : undefined;

/** Rejects with `unavailable` unless the provider has the document. */
export const fetchDocument = async (
  transport: Pick<Transport, 'send'>,
  request: ProviderRequest,
  what: string,
): Promise<JsonObject> => {
  const { status, document } = await askProvider(transport, request);
  if (status !== 200) throw providerFailure(`its ${what} has the status ${status}`);
  return document;
};

/** The address of an endpoint that the provider names in a document; undefined where it names none. */
export const endpointOf = (document: JsonObject, name: string, issuer: string): string | undefined => {
  const url = memberOf(document, name);
  if (url === undefined || url === null) return undefined;
  const isGood = typeof url === 'string' && url.length <= MAX_URL_LENGTH && URL.canParse(url);
  if (!isGood) throw providerFailure(`its ${name} is no address`);
  const { protocol, origin } = new URL(url);
  if (protocol === 'https:' || origin === new URL(issuer).origin) return url;
  throw providerFailure(`its ${name} is not https`);
};

/** The provider said something that this node cannot go by. `reason` names no value that the provider sent. */
export const providerFailure = (reason: string): ServiceError =>
  new ServiceError('unavailable', `the identity provider cannot be used: ${reason}`);
