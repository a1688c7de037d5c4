import type { InboundReply } from '../../../kernel/internal-api.ts';
import { type Scope, ServiceError, type Transport } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { PeerTokens } from '../tokens/peer-tokens.ts';
import { slicePage } from './slice-page.ts';

/** A page as the peer sent it; nothing in it is verified yet. */
export interface FetchedPage {
  readonly kind: 'page';
  readonly facts: readonly unknown[];
  readonly cursor: unknown;
  readonly hasMore: boolean;
  /** The epoch of the peer's feed; null if the peer sends none. */
  readonly epoch: string | null;
  /** The number of facts still to come, as the peer reports; null if it reports none. */
  readonly remaining: number | null;
  readonly bytes: number;
}

export interface FailedFetch {
  readonly kind: 'failed';
  /** The reason of the failure, for people. It quotes nothing from the reply. */
  readonly reason: string;
  /** The pause that the peer requests. */
  readonly retryAfterMs: number | null;
}

export interface FetchParts {
  readonly transport: Pick<Transport, 'send'>;
  readonly tokens: Pick<PeerTokens, 'mint'>;
  /** True to allow peers at plain http and private addresses. */
  readonly allowPrivate: boolean;
  readonly maxFactBytes: number;
  /** The name of the header with the number of facts still to come. */
  readonly remainingHeader: string;
}

export const PAGE_FACTS = 500;
const MAX_PAGE_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const EPOCH = /^[\x21-\x7e]{1,128}$/;
const MAX_COUNT = /^[0-9]{1,15}$/;

export interface PageRequest {
  readonly scope: Scope;
  readonly cursor: string | null;
  readonly limit: number;
  /** True to get this node's own facts back as well. */
  readonly wantsOwn: boolean;
}

/** Requests a page from a peer. Never rejects: each reply or failure becomes one of two outcomes. */
export const fetchPage = async (
  peering: Peering,
  { scope, cursor, limit, wantsOwn }: PageRequest,
  parts: FetchParts,
): Promise<FetchedPage | FailedFetch> => {
  const query = new URLSearchParams({ scope, limit: String(limit) });
  if (wantsOwn) query.set('own', 'true');
  if (cursor !== null) {
    query.set('since_hlc', cursor);
    query.set('cursor', cursor);
  }
  try {
    const reply = await parts.transport.send({
      method: 'GET',
      url: `${peering.nodeUrl}/v1/federation/facts?${query}`,
      headers: { Authorization: `Bearer ${parts.tokens.mint(peering, [scope])}`, Accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_PAGE_BYTES,
      allowPrivate: parts.allowPrivate,
      purpose: 'peer',
    });
    return reply.status === 200 ? await readPage(reply, limit, parts) : refused(reply);
  } catch (error) {
    if (error instanceof ServiceError) return failed(REASONS[error.code] ?? 'the peer sent a page that is no page');
    throw error;
  }
};

const REASONS: Readonly<Record<string, string>> = {
  unavailable: 'the peer did not reply, or not within the limits of time and size',
  batch_too_large: 'the peer sent more facts than it was asked for',
};

const failed = (reason: string, retryAfterMs: number | null = null): FailedFetch => ({
  kind: 'failed',
  reason,
  retryAfterMs,
});

const refused = (reply: InboundReply): FailedFetch => {
  const seconds = Number(reply.header('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
  return failed(refusalText(reply.status, HINTS), retryAfterMs);
};

/** Describes a reply of a peer by its status, with the hint for that status. */
export const refusalText = (status: number, hints: Readonly<Record<number, string>>): string => {
  const hint = hints[status];
  return `the peer replied with status ${status}${hint === undefined ? '' : `: ${hint}`}`;
};

export const TOKEN_REFUSED =
  'it does not take the tokens of this node; the peering may not be active there, or clocks may differ';

const HINTS: Readonly<Record<number, string>> = {
  401: TOKEN_REFUSED,
  403: 'federation may be off there, or the scope not granted',
  404: 'no node that exchanges facts is at this address',
  429: 'it asks to wait',
};

const readPage = async (
  reply: InboundReply,
  limit: number,
  { maxFactBytes, remainingHeader }: FetchParts,
): Promise<FetchedPage | FailedFetch> => {
  const { facts, rest } = await slicePage(reply.body, { maxItems: limit, maxItemBytes: maxFactBytes });
  if (!Object.hasOwn(rest, 'facts') || !Array.isArray(rest['facts']) || rest['facts'].length > 0) {
    return failed('the peer sent a page without a list of facts');
  }
  const member = (name: string): unknown => (Object.hasOwn(rest, name) ? rest[name] : undefined);
  const epoch = member('epoch');
  const remaining = reply.header(remainingHeader.toLowerCase()) ?? '';
  return {
    kind: 'page',
    facts,
    cursor: member('cursor'),
    hasMore: member('has_more') === true,
    epoch: typeof epoch === 'string' && EPOCH.test(epoch) ? epoch : null,
    remaining: MAX_COUNT.test(remaining) ? Number(remaining) : null,
    bytes: reply.body.byteLength,
  };
};
