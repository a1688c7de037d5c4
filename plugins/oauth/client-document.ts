import { parseStrictJson } from '../../kernel/internal-api.ts';
import { type Clock, ServiceError, type Transport } from '../../kernel/plugin-api.ts';
import { type ClientMetadata, readClientMetadata } from './client-metadata.ts';
import { OAuthError } from './oauth-error.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const FRESH_MS = 600_000;
/** The pause after a failed fetch. It keeps callers from making the node send many requests to another host. */
const RETRY_MS = 30_000;
const MAX_KEPT = 100;
/** The maximum number of simultaneous fetches. Each fetch holds a connection, and callers need no credential. */
const MAX_FETCHES = 16;

interface Kept {
  readonly document: Promise<ClientMetadata>;
  readonly untilMs: () => number;
}

/** Fetches and caches client id metadata documents. The id of such a client is the https address of its document. */
export class ClientDocuments {
  readonly #transport: Pick<Transport, 'send'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #allowPrivate: boolean;
  readonly #kept = new Map<string, Kept>();
  #fetches = 0;

  constructor(
    transport: Pick<Transport, 'send'>,
    clock: Pick<Clock, 'monotonicMs'>,
    { allowPrivate }: { readonly allowPrivate: boolean },
  ) {
    this.#transport = transport;
    this.#clock = clock;
    this.#allowPrivate = allowPrivate;
  }

  /** Returns the metadata in the document. Rejects with an `OAuthError` for a document that cannot be used. */
  find(clientId: string): Promise<ClientMetadata> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#kept.get(clientId);
    if (known !== undefined && nowMs < known.untilMs()) return known.document;
    if (this.#fetches >= MAX_FETCHES) {
      throw new OAuthError('temporarily_unavailable', 'too many documents of clients are being read: try again');
    }
    let untilMs = Number.POSITIVE_INFINITY;
    this.#fetches += 1;
    const document = this.#load(clientId).finally(() => {
      this.#fetches -= 1;
    });
    document.then(
      () => {
        untilMs = this.#clock.monotonicMs() + FRESH_MS;
      },
      () => {
        untilMs = this.#clock.monotonicMs() + RETRY_MS;
      },
    );
    this.#kept.delete(clientId);
    // A map keeps the order of insertion, so its first key is the oldest.
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(clientId, { document, untilMs: () => untilMs });
    return document;
  }

  async #load(clientId: string): Promise<ClientMetadata> {
    const document = parsed(await this.#read(clientId));
    if (document['client_id'] !== clientId) throw unusable('it names another client_id than its own address');
    if ('client_secret' in document) throw unusable('it contains a secret');
    return readClientMetadata(document, { needsName: true });
  }

  async #read(url: string): Promise<Uint8Array> {
    try {
      const reply = await this.#transport.send({
        method: 'GET',
        url,
        headers: { Accept: 'application/json' },
        allowPrivate: this.#allowPrivate,
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_BYTES,
      });
      // The transport follows no redirects, so a redirect counts as a failure.
      if (reply.status === 200) return reply.body;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
    throw unusable('it cannot be read from a public address');
  }
}

/**
 * Returns whether a client id is the address of a metadata document: https, with a path that URL parsers leave
 * unchanged.
 */
export const isDocumentAddress = (clientId: string): boolean => {
  if (!VISIBLE.test(clientId) || clientId.includes('#') || !URL.canParse(clientId)) return false;
  const { protocol, username, password, pathname, href } = new URL(clientId);
  return protocol === 'https:' && username === '' && password === '' && pathname !== '/' && href === clientId;
};

const VISIBLE = /^[\x21-\x5b\x5d-\x7e]{1,2048}$/;

const parsed = (body: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const document: unknown = parseStrictJson(body, 'document');
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
      return document as Readonly<Record<string, unknown>>;
    }
  } catch {
    // Malformed JSON gets the refusal below.
  }
  throw unusable('it is not a JSON object');
};

const unusable = (why: string): OAuthError =>
  new OAuthError('invalid_client', `the metadata document of the client cannot be used: ${why}`);
