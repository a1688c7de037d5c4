import { formatHlc, objectSchema, parseHlc } from '../../../kernel/internal-api.ts';
import {
  all,
  any,
  equals,
  type Filter,
  type Hlc,
  isIn,
  type NodeSelf,
  type PluginSnapshot,
  type PluginTables,
  type ReadableTables,
  type Route,
  SCOPES,
  type Scope,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import {
  CAPABILITY_INVALID,
  type CapabilityTokens,
  capabilityHeader,
  type VerifiedCapability,
} from '../../capability-tokens/capability-tokens-api.ts';
import type { PeerExchange } from '../../federation/federation-api.ts';
import { tombstoneFromRow } from '../markers/marker-row.ts';
import { revocationsOf } from '../markers/marker-store.ts';
import { MARKERS } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';
import { SERVED_PAGE_JSON, servedTombstoneJson } from './tombstone-wire.ts';

export const SERVED_PATH = '/v1/federation/tombstones';
/** The maximum number of tombstones per page, because each costs a query for the facts of its entity. */
export const MAX_SERVED = 200;

export interface ServeParts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
  readonly exchange: PeerExchange;
  readonly capabilities: CapabilityTokens;
}

interface Query {
  readonly since?: string;
  readonly limit: number;
}

/** `GET /v1/federation/tombstones` returns tombstones for the peer, in the order in which they changed. */
export const servedTombstonesRoute = (parts: ServeParts): Route<undefined, Query> => ({
  method: 'GET',
  path: SERVED_PATH,
  summary: 'Tombstones for a peer, in feed order, behind its cursor',
  access: 'peer',
  dimension: 'federation_pull',
  query: objectSchema<Query>({
    since: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_SERVED, default: 100 },
  }),
  headers: {
    [capabilityHeader(parts.self.names)]: {
      summary: 'A capability token with the verb tombstone:read for a scope of the peering',
      isCredential: true,
    },
  },
  answers: { 200: { json: SERVED_PAGE_JSON } },
  example: { query: { since: '1777886104120.0', limit: 100 } },
  async handle(request) {
    const { tables, self, exchange, capabilities } = parts;
    const after = readCursor(request.query.since);
    const peering = exchange.callerOf(request.caller);
    const presented = request.header(capabilityHeader(self.names).toLowerCase());
    const holder = { entityUri: peering.nodeId, tenantId: peering.tenantId };
    const scopes = [...request.caller.allowedScopes];
    const needOf = (scope: Scope) => ({ verb: 'tombstone:read', target: { kind: 'scope', scope } }) as const;
    const tokenId = await verifyForAny(scopes, (scope) => capabilities.verify(presented, needOf(scope), holder));
    return tables.read(async (own, snapshot) => {
      const covered: Scope[] = [];
      for (const scope of scopes) {
        if (await capabilities.stillHolds(tokenId, needOf(scope), holder, snapshot)) covered.push(scope);
      }
      const eligible = exchange.eligibleFor(peering, new Set(covered));
      const page = await readPage(own, { tenantId: peering.tenantId, after, limit: request.query.limit });
      const served: Tombstone[] = [];
      for (const tombstone of page.tombstones) {
        const isTheirs = tombstone.signedBy === peering.nodeId;
        const theyHave = any(eligible, sentBy(peering.nodeId, tombstone));
        if (!isTheirs && (await hasEligibleFact(snapshot, tombstone, theyHave, covered))) served.push(tombstone);
      }
      const ids = served.map(({ id }) => id);
      const revocations = new Map(
        (await revocationsOf(own, peering.tenantId, ids)).map((revocation) => [revocation.tombstoneId, revocation]),
      );
      return {
        status: 200,
        body: {
          tombstones: served.map((one) => servedTombstoneJson(one, revocationOfIssuer(one, revocations.get(one.id)))),
          cursor: page.cursor === null ? (request.query.since ?? null) : formatHlc(page.cursor),
          has_more: page.hasMore,
          epoch: historyOf(await snapshot.epoch(), covered),
        },
      };
    });
  },
});

/**
 * Accepts a token that covers any scope of the peer, and returns its id. If it covers no scope, this rejects with the
 * error of the last one. Any other error rejects at once.
 */
const verifyForAny = async (
  [first = 'public', ...others]: readonly Scope[],
  verify: (scope: Scope) => Promise<VerifiedCapability>,
): Promise<string> => {
  for (const [at, scope] of [first, ...others].entries()) {
    try {
      return (await verify(scope)).tokenId;
    } catch (error) {
      const isOver = at === others.length;
      if (isOver || !(error instanceof ServiceError) || error.code !== CAPABILITY_INVALID.id) throw error;
    }
  }
  throw new Error('there is always a first scope');
};

/** Omits an operator's revocation of another node's tombstone, because it applies only to this node. */
const revocationOfIssuer = <T extends { readonly signedBy: string }>(
  { signedBy }: Tombstone,
  revocation: T | undefined,
): T | undefined => (revocation?.signedBy === signedBy ? revocation : undefined);

/**
 * Returns the epoch of the list. It changes with the scopes, because a peer with a further scope must read the
 * tombstones again that its cursor has passed.
 */
const historyOf = (epoch: string, covered: readonly Scope[]): string => `${epoch}/${covered.toSorted().join('+')}`;

const readCursor = (text: string | undefined): Hlc | undefined => {
  if (text === undefined) return undefined;
  const cursor = parseHlc(text);
  if (cursor === null) throw new ServiceError('invalid_cursor', 'the cursor is no stamp such as 1772442904131.2');
  return cursor;
};

const readPage = async (
  own: ReadableTables,
  { tenantId, after, limit }: { readonly tenantId: string; readonly after: Hlc | undefined; readonly limit: number },
) => {
  const query = own(MARKERS)
    .where('tenant_id', tenantId)
    .orderBy(['feed_wall', 'feed_ctr'])
    .limit(limit + 1);
  if (after !== undefined) {
    query.where((later) =>
      later
        .where('feed_wall', '>', after.wallMs)
        .orWhere((same) => same.where('feed_wall', after.wallMs).where('feed_ctr', '>', after.counter)),
    );
  }
  const rows = await query;
  const last = rows.slice(0, limit).at(-1);
  const cursor = last === undefined ? null : { wallMs: Number(last['feed_wall']), counter: Number(last['feed_ctr']) };
  return { tombstones: rows.slice(0, limit).map(tombstoneFromRow), cursor, hasMore: rows.length > limit };
};

/** Matches the issuer's facts that the peer has sent to this node itself. It has them, and is not served them. */
const sentBy = (nodeId: string, { signedBy }: Tombstone): Filter =>
  all(equals('receivedFrom', nodeId), equals('originNodeId', signedBy));

/**
 * Returns true if the peer may have a fact of the tombstone's entity. Otherwise the tombstone would reveal that the
 * entity has facts.
 */
const hasEligibleFact = async (
  snapshot: PluginSnapshot,
  { tenantId, entityKey, scope }: Tombstone,
  eligible: Filter,
  covered: readonly Scope[],
): Promise<boolean> => {
  const scopes = (scope === '*' ? SCOPES : [scope]).filter((one) => covered.includes(one));
  if (scopes.length === 0) return false;
  const about = all(equals('tenantId', tenantId), equals('entityKey', entityKey), isIn('scope', scopes));
  return (await snapshot.outline(all(about, eligible), 1)).length > 0;
};
