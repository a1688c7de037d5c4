import {
  type Access,
  type CursorParts,
  objectRequiring,
  objectSchema,
  type PageQuery,
  pageMembers,
} from '../../../kernel/internal-api.ts';
import { bindCursor, NO_BODY, type Route, SCOPES, type Scope, spellList } from '../../../kernel/plugin-api.ts';
import type { DeclarationDocument, Direction, PeerRegistry } from '../federation-api.ts';
import { NODE_ID } from './declaration.ts';
import {
  DECLARED_JSON,
  declaredJson,
  FEDERATION_ENTRIES_JSON,
  federationEntryJson,
  PEERS_JSON,
  peerJson,
  REGISTERED_JSON,
  registeredJson,
} from './peer-json.ts';

import { DIRECTIONS } from './peering.ts';

const PATH = '/v1/federation/peers';
export const MAX_DECLARED_SCOPES = 64;
const MAX_URL_LENGTH = 2_048;
const MAX_KEY_LENGTH = 128;
const MAX_CODE_LENGTH = 128;

export interface PeerRouteParts extends CursorParts {
  readonly registry: PeerRegistry;
  /** The access rule of routes that need the permission `federate`. */
  readonly federate: Access;
}

/** Accepts null and passes it on, because the signature covers it. */
const textOrNull = (maxLength: number) => ({ type: ['string', 'null'], minLength: 1, maxLength });
const nodeId = { type: ['string', 'null'], pattern: NODE_ID.source };

/** The members of a declaration. `readDeclaration` checks their values. */
export const DECLARATION_BODY = objectRequiring<DeclarationDocument>(['signed_at', 'declaration_sig'], {
  declaring_node_id: { ...nodeId, description: 'The node that declares.' },
  node_id: { ...nodeId, description: 'Another name of `declaring_node_id`; one of the two is needed.' },
  target_node_id: { ...nodeId, description: 'The node towards which it declares.' },
  allowed_scopes: {
    type: ['array', 'null'],
    items: { type: 'string', maxLength: 64 },
    maxItems: MAX_DECLARED_SCOPES,
    description: 'The scopes whose facts may be exchanged.',
  },
  direction: { ...textOrNull(64), description: `One of ${DIRECTIONS.join(', ')}.` },
  may_end_others: {
    type: ['boolean', 'null'],
    description: 'Whether the target may end facts of others at the declaring node. Default: if `company` is open.',
  },
  signed_at: { type: 'string', maxLength: 64, description: 'An instant of the last 24 hours.' },
  declaration_sig: {
    type: 'string',
    maxLength: MAX_KEY_LENGTH,
    description: 'Ed25519 signature over the RFC 8785 form of all other members, in base64url.',
  },
  node_url: { ...textOrNull(MAX_URL_LENGTH), description: 'Where the declaring node is reached.' },
  federation_pubkey: { ...textOrNull(MAX_KEY_LENGTH), description: 'Its public key, in base64url.' },
});

interface CodeQuery {
  readonly code?: string;
}

/** `POST /v1/federation/peers` registers a declaration of another node, or one that this node has signed. */
export const registerPeerRoute = ({
  registry,
  federate,
}: PeerRouteParts): Route<undefined, CodeQuery, DeclarationDocument> => ({
  method: 'POST',
  path: PATH,
  summary: 'Takes a declaration of another node, or of this one, and begins to exchange facts when both are on file',
  access: federate,
  query: objectSchema<CodeQuery>({
    code: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_CODE_LENGTH,
      description: 'The digits that the other operator reads out. A declaration with another code is refused.',
    },
  }),
  body: DECLARATION_BODY,
  answers: { 201: { json: REGISTERED_JSON } },
  // The example is a declaration that `peer declare` prints on the other node.
  example: {
    body: {
      declaring_node_id: 'svc://beta.example.org',
      target_node_id: 'svc://alpha.example.com',
      allowed_scopes: ['public'],
      direction: 'bidirectional',
      signed_at: '2026-05-04T09:15:04.120Z',
      declaration_sig: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      node_url: 'https://beta.example.org',
    },
  },
  async handle({ caller, query: { code }, body }) {
    return { status: 201, body: registeredJson(await registry.register(caller, body, { code })) };
  },
});

interface DeclareBody {
  readonly peer: string;
  readonly allowed_scopes?: readonly Scope[];
  readonly direction?: Direction;
  readonly may_end_others?: boolean;
}

/** `POST /v1/federation/declarations` makes and registers a declaration of this node. */
export const declareRoute = ({ registry }: PeerRouteParts): Route<undefined, undefined, DeclareBody> => ({
  method: 'POST',
  path: '/v1/federation/declarations',
  summary: 'Signs what this node exchanges with another one, for the operator of that node, with a code to compare',
  access: { permission: 'admin' },
  body: objectRequiring<DeclareBody>(['peer'], {
    peer: {
      type: 'string',
      pattern: NODE_ID.source,
      description: 'Address of the other node, such as https://beta.example, or its id.',
    },
    allowed_scopes: {
      type: 'array',
      items: { type: 'string', enum: [...SCOPES] },
      minItems: 1,
      maxItems: SCOPES.length,
      description: 'The scopes whose facts may be exchanged; by default public.',
    },
    direction: { type: 'string', enum: [...DIRECTIONS] },
    may_end_others: { type: 'boolean', description: 'Whether the other node may end facts of others here.' },
  }),
  bodyLimit: 'small',
  answers: { 201: { json: DECLARED_JSON } },
  example: { body: { peer: 'https://beta.example.org', allowed_scopes: ['public'] } },
  async handle({ caller, body }) {
    const { peer, allowed_scopes: scopes, direction, may_end_others: mayEndOthers } = body;
    const declared = await registry.declare(caller, { peer, scopes, direction, mayEndOthers });
    return { status: 201, body: declaredJson(declared) };
  },
});

/** `GET /v1/federation/peers` lists the peerings of the tenant. */
export const listPeersRoute = ({ registry, federate }: PeerRouteParts): Route => ({
  method: 'GET',
  path: PATH,
  summary: 'Nodes with which this one exchanges facts, or did, or is asked to',
  access: federate,
  answers: { 200: { json: PEERS_JSON } },
  example: {},
  async handle({ caller }) {
    return { status: 200, body: { peers: await spellList(await registry.list(caller), peerJson) } };
  },
});

/** `DELETE /v1/federation/peers/{peer_id}` ends a peering. */
export const revokePeerRoute = ({ registry }: PeerRouteParts): Route<{ peer_id: string }> => ({
  method: 'DELETE',
  path: `${PATH}/:peer_id`,
  summary: 'Ends the exchange with another node in both directions, at once',
  access: { permission: 'admin' },
  params: objectSchema<{ peer_id: string }>({ peer_id: { type: 'string' } }),
  answers: { 204: NO_BODY },
  example: { params: { peer_id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' } },
  async handle({ caller, params }) {
    await registry.revoke(caller, params.peer_id);
    return { status: 204 };
  },
});

interface EventsQuery extends PageQuery {
  readonly peer_id?: string;
  readonly event_type?: string;
}

/** `GET /v1/federation/audit` returns the log of the exchange with peers. */
export const federationAuditRoute = (parts: PeerRouteParts): Route<undefined, EventsQuery> => ({
  method: 'GET',
  path: '/v1/federation/audit',
  summary: 'What happened between this node and its peers, newest first',
  access: parts.federate,
  query: objectSchema<EventsQuery>({
    peer_id: { type: 'string' },
    event_type: { type: 'string' },
    ...pageMembers(50, 500),
  }),
  answers: { 200: { json: FEDERATION_ENTRIES_JSON } },
  example: { query: { limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const { limit } = query;
    const filter = { peerId: query.peer_id, event: query.event_type };
    const bound = bindCursor(request, query.cursor, filter, parts);
    const after = bound.position && { tsMs: Number(bound.position[0]), id: String(bound.position[1]) };
    const { entries, more } = await parts.registry.events(caller, filter, { after, limit });
    const { list, cursor } = await bound.page(entries, limit, {
      positionOf: ({ tsMs, id }) => [tsMs, id],
      toJson: federationEntryJson,
      more,
    });
    return { status: 200, body: { entries: list, cursor, has_more: cursor !== null } };
  },
});
