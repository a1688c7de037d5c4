import { objectRequiring, objectSchema, TRUNCATED_JSON } from '../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  component,
  listOf,
  memberRefusal,
  NO_BODY,
  objectOf,
  type Route,
  type ServiceNames,
  spellList,
} from '../../kernel/plugin-api.ts';
import { capabilityHeader } from '../capability-tokens/capability-tokens-api.ts';
import { MAX_KEY_LENGTH } from './create-subscription.ts';
import { MAX_OVERLAP_SECONDS } from './rotate-secret.ts';
import { NEW_SUBSCRIPTION_JSON, SUBSCRIPTION, type SubscriptionJson } from './subscription-json.ts';
import { EVENT_TYPES, type EventType, TARGET_TYPES, type TargetType } from './subscription-record.ts';
import type { Subscriptions } from './subscriptions-api.ts';

export interface SubscriptionRouteParts {
  readonly subscriptions: Subscriptions;
  readonly json: SubscriptionJson;
  readonly names: ServiceNames;
}

interface Body {
  readonly target: string;
  readonly target_type?: TargetType | null;
  readonly on_change: 'webhook';
  readonly webhook_url?: string | null;
  readonly delivery_address?: string | null;
  readonly idempotency_key?: string | null;
  readonly event_types?: readonly EventType[] | null;
  readonly capability_token?: string | null;
}

/** `POST /v1/subscriptions` creates a subscription. */
export const createSubscriptionRoute = ({
  subscriptions,
  json,
  names,
}: SubscriptionRouteParts): Route<undefined, undefined, Body> => ({
  method: 'POST',
  path: '/v1/subscriptions',
  holdsSecret: true,
  summary: 'Subscribe a webhook to an entity, a scope or a garden',
  access: { permission: 'read' },
  dimension: 'subscription_create',
  body: objectRequiring<Body>(['target', 'on_change'], {
    target: { type: 'string' },
    target_type: { type: ['string', 'null'], enum: [...TARGET_TYPES, null] },
    on_change: { type: 'string', enum: ['webhook'] },
    webhook_url: { type: ['string', 'null'] },
    delivery_address: { type: ['string', 'null'] },
    idempotency_key: { type: ['string', 'null'], minLength: 1, maxLength: MAX_KEY_LENGTH },
    event_types: { type: ['array', 'null'], items: { type: 'string', enum: [...EVENT_TYPES] }, minItems: 1 },
    capability_token: { type: ['string', 'null'] },
  }),
  headers: { [capabilityHeader(names)]: { summary: 'A capability token, in place of the member capability_token' } },
  answers: { 200: { json: component(SUBSCRIPTION) }, 201: { json: NEW_SUBSCRIPTION_JSON } },
  example: {
    headers: {
      [capabilityHeader(names)]:
        '{"token_id":"2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43","token_version":1,"issuer":"agent:indexer", ...}',
    },
    body: {
      target: 'project:atlas',
      target_type: 'entity',
      on_change: 'webhook',
      webhook_url: 'https://hooks.example.com/atlas',
      idempotency_key: 'planner-watches-atlas',
      event_types: ['fact_asserted', 'fact_retracted', 'conflict_opened'],
    },
    status: 201,
  },
  async handle({ caller, body, header }) {
    const { subscription, secret } = await subscriptions.create(caller, {
      target: body.target,
      targetType: body.target_type,
      webhookUrl: readAddress(body),
      idempotencyKey: body.idempotency_key,
      eventTypes: body.event_types,
      capabilityToken: header(capabilityHeader(names).toLowerCase()) ?? body.capability_token ?? undefined,
    });
    const shown = json(subscription);
    return secret === null ? { status: 200, body: shown } : { status: 201, body: { ...shown, secret } };
  },
});

/** Reads the address from either of its two members. */
const readAddress = ({ webhook_url, delivery_address }: Body): string => {
  const url = webhook_url ?? delivery_address ?? undefined;
  if (url === undefined) throw memberRefusal('body.webhook_url', 'is required');
  if (delivery_address != null && delivery_address !== url) {
    throw memberRefusal('body.delivery_address', 'must be the same as webhook_url');
  }
  return url;
};

export interface IdParams {
  readonly id: string;
}

export const idParams = objectRequiring<IdParams>(['id'], { id: { type: 'string' } });

export const listSubscriptionsRoute = ({ subscriptions, json }: SubscriptionRouteParts): Route => ({
  method: 'GET',
  path: '/v1/subscriptions',
  // The address in the body may contain a secret token.
  holdsSecret: true,
  summary: "The caller's subscriptions, oldest first",
  // Lists all of them, of which an entity may have 1,000.
  cost: 250,
  access: { permission: 'read' },
  answers: {
    200: {
      json: objectOf(
        { subscriptions: listOf(component(SUBSCRIPTION)), total: COUNT_JSON, truncated: TRUNCATED_JSON },
        { optional: ['truncated'] },
      ),
    },
  },
  example: {},
  async handle({ caller }) {
    const found = await subscriptions.list(caller);
    const list = await spellList(found, json);
    return {
      status: 200,
      body: { subscriptions: list, total: found.length, ...(list.isCut && { truncated: true }) },
    };
  },
});

export const getSubscriptionRoute = ({ subscriptions, json }: SubscriptionRouteParts): Route<IdParams> => ({
  method: 'GET',
  path: '/v1/subscriptions/:id',
  // The address in the body may contain a secret token.
  holdsSecret: true,
  summary: 'One subscription of the caller',
  access: { permission: 'read' },
  params: idParams,
  answers: { 200: { json: component(SUBSCRIPTION) } },
  example: { params: { id: '8d3c6a50-91be-4f07-a2d4-5e6b7c8f9012' } },
  handle: async ({ caller, params }) => ({ status: 200, body: json(await subscriptions.get(caller, params.id)) }),
});

interface RotateBody {
  readonly overlap_s?: number;
}

export const rotateSecretRoute = ({
  subscriptions,
  json,
}: SubscriptionRouteParts): Route<IdParams, undefined, RotateBody> => ({
  method: 'POST',
  path: '/v1/subscriptions/:id/rotate-secret',
  holdsSecret: true,
  summary: 'Give a subscription another secret; the former one signs beside it for a while',
  access: { permission: 'read' },
  params: idParams,
  body: objectSchema<RotateBody>({ overlap_s: { type: 'integer', minimum: 0, maximum: MAX_OVERLAP_SECONDS } }),
  bodyOptional: true,
  answers: { 200: { json: NEW_SUBSCRIPTION_JSON } },
  example: { params: { id: '8d3c6a50-91be-4f07-a2d4-5e6b7c8f9012' }, body: { overlap_s: 3_600 } },
  async handle({ caller, params, body }) {
    const rotated = await subscriptions.rotateSecret(caller, params.id, { overlapSeconds: body.overlap_s });
    return { status: 200, body: { ...json(rotated.subscription), secret: rotated.secret } };
  },
});

export const deleteSubscriptionRoute = ({ subscriptions }: SubscriptionRouteParts): Route<IdParams> => ({
  method: 'DELETE',
  path: '/v1/subscriptions/:id',
  summary: 'End a subscription and forget its events',
  access: { permission: 'read' },
  params: idParams,
  answers: { 204: NO_BODY },
  example: { params: { id: '8d3c6a50-91be-4f07-a2d4-5e6b7c8f9012' } },
  async handle({ caller, params }) {
    await subscriptions.delete(caller, params.id);
    return { status: 204 };
  },
});
