import {
  type CursorParts,
  objectRequiring,
  objectSchema,
  type PageQuery,
  pageMembers,
} from '../../kernel/internal-api.ts';
import { bindCursor, COUNT_JSON, CURSOR_JSON, listOf, objectOf, type Route } from '../../kernel/plugin-api.ts';
import {
  CAPABILITY_JSON,
  capabilityJson,
  FINDING_JSON,
  findingJson,
  ISSUED_JSON,
  issuedJson,
  REVOKED_JSON,
  revokedJson,
} from './capability-json.ts';
import { CAPABILITY_VERBS, type CapabilityRegistry, type CapabilityVerb } from './capability-tokens-api.ts';
import { MAX_LIFETIME_S, MAX_REASON_LENGTH } from './check-issue.ts';
import { filterFor } from './stored-capabilities.ts';

const PATH = '/v1/federation/capability-tokens';

export interface CapabilityRouteParts extends CursorParts {
  readonly registry: CapabilityRegistry;
}

interface IssueBody {
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  readonly expiry?: string | null;
  readonly ttl_seconds?: number;
}

/** `POST /v1/federation/capability-tokens` issues a token. Only this reply contains it. */
export const issueCapabilityRoute = ({ registry }: CapabilityRouteParts): Route<undefined, undefined, IssueBody> => ({
  method: 'POST',
  path: PATH,
  holdsSecret: true,
  summary: 'Issues a capability token',
  access: { permission: 'write' },
  dimension: 'token_issue',
  body: objectRequiring<IssueBody>(['issuer', 'subject', 'verb', 'object'], {
    issuer: { type: 'string' },
    subject: { type: 'string' },
    verb: { enum: [...CAPABILITY_VERBS] },
    object: { type: 'string' },
    expiry: { type: ['string', 'null'] },
    ttl_seconds: { type: 'integer', minimum: 1, maximum: MAX_LIFETIME_S },
  }),
  answers: { 201: { json: ISSUED_JSON } },
  example: {
    body: {
      issuer: 'agent:indexer',
      subject: 'agent:planner',
      verb: 'subscribe',
      object: 'project:atlas',
      ttl_seconds: 86_400,
    },
  },
  async handle({ caller, body: { ttl_seconds: ttlSeconds, ...request } }) {
    return { status: 201, body: issuedJson(await registry.issue(caller, { ...request, ttlSeconds })) };
  },
});

interface VerifyBody {
  readonly token_json: string;
}

/** `POST /v1/federation/capability-tokens/verify` tells whether a token is valid. */
export const verifyCapabilityRoute = ({ registry }: CapabilityRouteParts): Route<undefined, undefined, VerifyBody> => ({
  method: 'POST',
  path: `${PATH}/verify`,
  summary: 'Says whether a capability token is good now, and why not',
  access: { permission: 'read' },
  body: objectRequiring<VerifyBody>(['token_json'], { token_json: { type: 'string', minLength: 1 } }),
  answers: { 200: { json: FINDING_JSON } },
  // The text is the member token_json of the reply that issued the token.
  example: {
    body: {
      token_json: '{"token_id":"2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43","token_version":1,"issuer":"agent:indexer", ...}',
    },
  },
  async handle({ caller, body }) {
    return { status: 200, body: findingJson(await registry.inspect(caller, body.token_json)) };
  },
});

interface RevokeBody {
  readonly reason?: string | null;
}

/** `POST /v1/federation/capability-tokens/{token_id}/revoke` revokes a token. */
export const revokeCapabilityRoute = ({
  registry,
}: CapabilityRouteParts): Route<{ token_id: string }, undefined, RevokeBody> => ({
  method: 'POST',
  path: `${PATH}/:token_id/revoke`,
  summary: 'Ends a capability token now',
  access: { permission: 'write' },
  params: objectSchema<{ token_id: string }>({ token_id: { type: 'string' } }),
  bodyOptional: true,
  body: objectSchema<RevokeBody>({ reason: { type: ['string', 'null'], maxLength: MAX_REASON_LENGTH } }),
  answers: { 200: { json: REVOKED_JSON } },
  example: {
    params: { token_id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' },
    body: { reason: 'agent:planner has moved to another project' },
  },
  async handle({ caller, params, body }) {
    return { status: 200, body: revokedJson(await registry.revoke(caller, params.token_id, body.reason ?? null)) };
  },
});

/** `GET /v1/federation/capability-tokens` returns records, never the tokens themselves. */
export const listCapabilitiesRoute = (parts: CapabilityRouteParts): Route<undefined, PageQuery> => ({
  method: 'GET',
  path: PATH,
  summary:
    'Capability tokens that the caller issued or is the subject of, newest first; for an admin all of the tenant',
  access: { permission: 'read' },
  query: objectSchema<PageQuery>({
    ...pageMembers(1000, 1000),
  }),
  answers: {
    200: { json: objectOf({ tokens: listOf(CAPABILITY_JSON), total: COUNT_JSON, cursor: CURSOR_JSON }) },
  },
  example: { query: { limit: 20 } },
  async handle(request) {
    const { registry, clock } = parts;
    const { cursor: sent, limit } = request.query;
    const bound = bindCursor(request, sent, filterFor(request.caller), parts);
    const after = bound.position && {
      issuedMs: Number(bound.position[0]),
      tokenId: String(bound.position[1]),
    };
    const { found, more, total } = await registry.list(request.caller, { after, limit });
    const nowMs = clock.nowMs();
    const { list, cursor } = await bound.page(found, limit, {
      positionOf: ({ issuedMs, tokenId }) => [issuedMs, tokenId],
      toJson: (token) => capabilityJson(token, nowMs),
      more,
    });
    return { status: 200, body: { tokens: list, total, cursor } };
  },
});
