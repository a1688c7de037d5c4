import {
  type CursorParts,
  objectRequiring,
  objectSchema,
  type PageQuery,
  pageMembers,
  TRUNCATED_JSON,
} from '../../../kernel/internal-api.ts';
import { BOOLEAN_JSON, bindCursor, CURSOR_JSON, listOf, objectOf, type Route } from '../../../kernel/plugin-api.ts';
import type { Tombstones } from '../tombstones-api.ts';
import { REVOCATION_JSON, revocationJson, TOMBSTONE_JSON, tombstoneJson } from './marker-json.ts';
import { MAX_REASON_LENGTH } from './read-draft.ts';

interface CreateBody {
  readonly entity_uri: string;
  readonly scope: string;
  readonly reason?: string | null;
  readonly legal_hold: boolean;
}

/** `POST /v1/tombstones` creates a tombstone. */
export const createTombstoneRoute = (tombstones: Tombstones): Route<undefined, undefined, CreateBody> => ({
  method: 'POST',
  path: '/v1/tombstones',
  summary: 'Hides the facts about an entity behind a signed marker',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  body: objectRequiring<CreateBody>(['entity_uri'], {
    entity_uri: { type: 'string' },
    scope: { type: 'string', default: '*' },
    reason: { type: ['string', 'null'], maxLength: MAX_REASON_LENGTH },
    legal_hold: { type: 'boolean', default: false },
  }),
  answers: { 201: { json: TOMBSTONE_JSON } },
  example: {
    body: { entity_uri: 'user:bob', scope: '*', reason: 'Bob asked to be forgotten.', legal_hold: false },
  },
  async handle({ caller, body }) {
    const { entity_uri: entityUri, scope, reason, legal_hold: legalHold } = body;
    return {
      status: 201,
      body: tombstoneJson(await tombstones.create(caller, { entityUri, scope, reason, legalHold })),
    };
  },
});

export interface TombstoneListParts extends CursorParts {
  readonly tombstones: Tombstones;
}

const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;

/** `GET /v1/tombstones` returns the tombstones of the tenant, newest first. */
export const listTombstonesRoute = (parts: TombstoneListParts): Route<undefined, PageQuery> => ({
  method: 'GET',
  path: '/v1/tombstones',
  summary: 'Tombstones of the tenant, newest first, ended ones included',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  query: objectSchema<PageQuery>({
    ...pageMembers(DEFAULT_PAGE, MAX_PAGE),
  }),
  answers: {
    200: {
      json: objectOf({ tombstones: listOf(TOMBSTONE_JSON), revocations: listOf(REVOCATION_JSON), cursor: CURSOR_JSON }),
    },
  },
  example: { query: { limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const bound = bindCursor(request, query.cursor, [], parts);
    const after = bound.position && { createdMs: Number(bound.position[0]), id: String(bound.position[1]) };
    const { tombstones, revocations, more } = await parts.tombstones.list(caller, { after, limit: query.limit });
    const { list, rows, cursor } = await bound.page(tombstones, query.limit, {
      positionOf: ({ createdMs, id }) => [createdMs, id],
      toJson: tombstoneJson,
      more,
    });
    const shown = new Set(rows.map(({ id }) => id));
    const ended = revocations.filter(({ tombstoneId }) => shown.has(tombstoneId)).map(revocationJson);
    return { status: 200, body: { tombstones: list, revocations: ended, cursor } };
  },
});

/** `GET /v1/tombstones/{entity_uri…}` returns the tombstones of an entity. */
export const entityTombstonesRoute = (tombstones: Tombstones): Route<{ entity_uri: string }> => ({
  method: 'GET',
  path: '/v1/tombstones/*entity_uri',
  summary: 'Tombstones of an entity, ended ones included',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  params: objectSchema<{ entity_uri: string }>({ entity_uri: { type: 'string' } }),
  answers: {
    200: {
      json: objectOf(
        {
          tombstoned: BOOLEAN_JSON,
          tombstones: listOf(TOMBSTONE_JSON),
          revocations: listOf(REVOCATION_JSON),
          truncated: TRUNCATED_JSON,
        },
        { optional: ['truncated'] },
      ),
    },
  },
  example: { params: { entity_uri: 'user:bob' } },
  async handle({ caller, params }) {
    const found = await tombstones.of(caller, params.entity_uri);
    return {
      status: 200,
      body: {
        tombstoned: found.isTombstoned,
        tombstones: found.tombstones.map(tombstoneJson),
        revocations: found.revocations.map(revocationJson),
        ...(found.isTruncated && { truncated: true }),
      },
    };
  },
});

interface RevokeBody {
  readonly reason: string;
}

/** `POST /v1/tombstones/{id}/revoke` revokes a tombstone. */
export const revokeTombstoneRoute = (tombstones: Tombstones): Route<{ id: string }, undefined, RevokeBody> => ({
  method: 'POST',
  path: '/v1/tombstones/:id/revoke',
  summary: 'Shows the facts behind a tombstone again',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  body: objectRequiring<RevokeBody>(['reason'], {
    reason: { type: 'string', minLength: 1, maxLength: MAX_REASON_LENGTH },
  }),
  answers: { 200: { json: REVOCATION_JSON } },
  example: {
    params: { id: 'tomb_a3d95e10-7c4b-4f26-8b1d-6e0f9c8a7b52' },
    body: { reason: 'Bob came back and agreed.' },
  },
  async handle({ caller, params, body }) {
    return { status: 200, body: revocationJson(await tombstones.revoke(caller, params.id, body.reason)) };
  },
});
