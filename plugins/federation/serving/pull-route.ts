import { formatHlc, objectSchema, parseHlc } from '../../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  CURSOR_JSON,
  type Facts,
  type Hlc,
  listOf,
  type NodeSelf,
  objectOf,
  type Reply,
  type Route,
  SCOPES,
  type Scope,
  ServiceError,
  STRING_JSON,
  spellList,
} from '../../../kernel/plugin-api.ts';
import { SCOPE_VIOLATION } from '../federation-events.ts';
import type { FederationSettings } from '../federation-settings.ts';
import { FEDERATION_DISABLED, SCOPE_NOT_PERMITTED } from '../federation-words.ts';
import type { FederationLog } from '../peerings/federation-log.ts';
import type { OriginProofs } from '../proofs/origin-proof.ts';
import type { PeerCaller, PeerTokens } from '../tokens/peer-tokens.ts';
import { readPage, type ServedPage } from './read-page.ts';
import type { ServedCursors } from './served-cursors.ts';
import { SERVED_FACT_JSON, servedFactJson } from './served-fact-json.ts';
import { NO_PERMITTED_SCOPES } from './serving-words.ts';

export const PULL_PATH = '/v1/federation/facts';
const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 500;

interface PullQuery {
  readonly since_hlc?: string;
  readonly cursor?: string;
  readonly scope?: Scope;
  readonly own: boolean;
  readonly limit: number;
}

export interface PullParts {
  readonly settings: Pick<FederationSettings, 'enabled' | 'cid'>;
  readonly self: NodeSelf;
  readonly facts: Facts;
  readonly tokens: Pick<PeerTokens, 'callerOf'>;
  readonly proofs: Pick<OriginProofs, 'of'>;
  readonly servedCursors: Pick<ServedCursors, 'asked'>;
  readonly federationLog: Pick<FederationLog, 'recordRejections'>;
}

/** `GET /v1/federation/facts` returns the facts that the peer may read, in the order in which this node stored them. */
export const pullRoute = (parts: PullParts): Route<undefined, PullQuery> => ({
  method: 'GET',
  path: PULL_PATH,
  summary: 'Facts for a peer, in feed order, behind its cursor',
  access: 'peer',
  dimension: 'federation_pull',
  query: objectSchema<PullQuery>({
    since_hlc: { type: 'string' },
    cursor: { type: 'string' },
    scope: { type: 'string', enum: [...SCOPES] },
    own: { type: 'boolean', default: false },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  }),
  answers: {
    200: {
      json: objectOf({
        facts: listOf(SERVED_FACT_JSON),
        cursor: CURSOR_JSON,
        has_more: BOOLEAN_JSON,
        epoch: STRING_JSON,
      }),
      headers: { [parts.self.names.headers.remaining]: 'How many facts come after this page, where there are more' },
    },
  },
  example: { query: { since_hlc: '1777886104120.0', scope: 'public', limit: 100 } },
  async handle({ caller, query }) {
    const after = readCursor(query.cursor ?? query.since_hlc);
    if (!parts.settings.enabled) throw federationDisabled();
    const peer = parts.tokens.callerOf(caller);
    const scopes = await scopesFor(parts, peer, query.scope);
    if (after !== undefined) await parts.servedCursors.asked(peer.peering, query.scope ?? 'all', after);
    const requester = { nodeId: peer.peering.nodeId, scopes, wantsOwn: query.own };
    const page = await parts.facts.read(caller, 'export', (reader) =>
      readPage(reader, { requester, ownNodeId: parts.self.nodeId, after, limit: query.limit }),
    );
    return reply(parts, page);
  },
});

/** Only callers with a valid peer token see this error. The hint is for operators. */
export const federationDisabled = (): ServiceError =>
  new ServiceError(FEDERATION_DISABLED, 'federation is switched off on this node');

const readCursor = (text: string | undefined): Hlc | undefined => {
  if (text === undefined) return undefined;
  const cursor = parseHlc(text);
  if (cursor === null) throw new ServiceError('invalid_cursor', 'the cursor is no stamp such as 1772442904131.2');
  return cursor;
};

const scopesFor = async (
  { federationLog }: PullParts,
  { principal, peering }: PeerCaller,
  asked: Scope | undefined,
): Promise<ReadonlySet<Scope>> => {
  const { allowedScopes } = principal;
  if (asked === undefined) {
    if (allowedScopes.size === 0) throw new ServiceError(NO_PERMITTED_SCOPES, 'no permitted scopes');
    return allowedScopes;
  }
  if (allowedScopes.has(asked)) return new Set([asked]);
  const { tenantId, peerId, nodeId } = peering;
  await federationLog.recordRejections([
    { tenantId, peerId, nodeId, event: SCOPE_VIOLATION, detail: { direction: 'outbound', scope: asked } },
  ]);
  throw new ServiceError(SCOPE_NOT_PERMITTED, 'scope not permitted for this peer');
};

const reply = async ({ settings, self, proofs }: PullParts, page: ServedPage): Promise<Reply> => {
  const form = { proofs: await proofs.of(page.facts), hasCid: settings.cid === 'seed' };
  const list = await spellList(page.facts, (fact) => servedFactJson(fact, form));
  // Facts beyond the byte limit follow on the next page.
  const left = page.facts.length - list.count;
  const cursor = left === 0 ? page.cursor : (page.stamps[list.count - 1] ?? page.cursor);
  const hasMore = page.hasMore || left > 0;
  return {
    status: 200,
    ...(hasMore && { headers: { [self.names.headers.remaining]: String((page.remaining ?? 0) + left) } }),
    body: { facts: list, cursor: cursor === null ? null : formatHlc(cursor), has_more: hasMore, epoch: page.epoch },
  };
};
