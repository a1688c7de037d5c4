import { objectRequiring, parseHlc } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  COUNT_JSON,
  listOf,
  memberRefusal,
  objectOf,
  type PluginTransaction,
  type Route,
  ServiceError,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import { inboundScopes, type Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import { federationDisabled } from '../serving/pull-route.ts';
import { SERVED_FACT_JSON } from '../serving/served-fact-json.ts';
import type { PeerTokens } from '../tokens/peer-tokens.ts';
import { type Ingest, type IngestVerdict, REJECTIONS } from './ingest.ts';
import type { PeerUsages } from './peer-usage.ts';
import { quotaExceeded } from './quota-exceeded.ts';

export interface PushParts {
  readonly ingest: Ingest;
  readonly tokens: Pick<PeerTokens, 'callerOf'>;
  readonly peerings: Pick<Peerings, 'read'>;
  readonly usages: PeerUsages;
  readonly clock: Clock;
  /** The maximum number of new facts per peer and day; 0 means no limit. */
  readonly maxFactsPerDay: number;
}

export const PUSH_PATH = '/v1/federation/facts/push';
const MAX_PUSHED = 500;

interface PushBody {
  readonly facts: readonly unknown[];
  readonly sender_hlc?: string | null;
}

/** Refuses pushes before it reads their bodies, while the node accepts none. */
export const refusePushes = ({
  enabled,
  pushEnabled,
}: {
  readonly enabled: boolean;
  readonly pushEnabled: boolean;
}): void => {
  if (!enabled) throw federationDisabled();
  if (!pushEnabled) {
    const detail = 'push replication not enabled on this node';
    throw new ServiceError('method_not_allowed', detail, { headers: { Allow: '' } });
  }
};

/** `POST /v1/federation/facts/push` replies 202 with the outcome for each fact. */
export const pushRoute = (parts: PushParts): Route<undefined, undefined, PushBody> => ({
  method: 'POST',
  path: PUSH_PATH,
  summary: 'Take facts from a peer',
  access: 'peer',
  bodyLimit: 'bulk',
  cost: ({ body: { facts } }) => facts.length,
  // A newer peer may send members that this node does not know.
  body: objectRequiring<PushBody>(['facts'], {
    facts: { type: 'array', items: {} },
    sender_hlc: { type: ['string', 'null'] },
  }),
  bodyShown: {
    type: 'object',
    required: ['facts'],
    properties: {
      facts: {
        type: 'array',
        items: { ...SERVED_FACT_JSON, additionalProperties: true },
        description: 'Members that this node does not know are not stored.',
      },
      sender_hlc: { type: ['string', 'null'], description: 'The clock of the sender, as a stamp.' },
    },
  },
  answers: {
    202: {
      json: objectOf({
        accepted: COUNT_JSON,
        rejected: COUNT_JSON,
        errors: listOf(objectOf({ fact_id: STRING_JSON, error: { type: 'string', enum: [...REJECTIONS] } })),
      }),
    },
  },
  example: {
    body: {
      facts: [
        {
          id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
          entity: 'project:atlas',
          relation: 'memory:status',
          value: { type: 'string', v: 'in beta', interpret_as: 'content' },
          source: 'agent:indexer',
          timestamp: '2026-05-04T09:15:04.120Z',
          hlc: '1777886104120.0',
          confidence: 0.9,
          scope: 'public',
          valid_until: null,
          derived_from: [],
        },
      ],
      sender_hlc: '1777886104121.0',
    },
  },
  async handle({ caller, body: { facts, sender_hlc: senderHlc } }) {
    if (senderHlc != null && parseHlc(senderHlc) === null) {
      throw memberRefusal('body.sender_hlc', 'must be a stamp, <milliseconds>.<counter>');
    }
    if (facts.length > MAX_PUSHED) {
      throw new ServiceError('batch_too_large', `a push has at most ${MAX_PUSHED} facts; send them in several`);
    }
    const { peering, tokenScopes } = parts.tokens.callerOf(caller);
    const granted = [...inboundScopes(peering)];
    const verdicts = await parts.ingest.take({
      facts,
      peering,
      scopes: new Set(granted.filter((scope) => tokenScopes?.has(scope) ?? true)),
      via: 'push',
      mayAdd: await mayAdd(peering, parts),
      guard: (transaction) => requireSameGrant(transaction, peering, parts.peerings),
    });
    return { status: 202, body: summaryOf(verdicts) };
  },
});

/** Returns how many facts the peer may still send today. Rejects if it may send none. */
const mayAdd = async (peering: Peering, { usages, clock, maxFactsPerDay }: PushParts): Promise<number> => {
  const nowMs = clock.nowMs();
  const { addedToday, quarantinedUntilMs } = await usages.read(peering, nowMs);
  if (quarantinedUntilMs !== null) throw quotaExceeded(quarantinedUntilMs - nowMs);
  return maxFactsPerDay === 0 ? Number.POSITIVE_INFINITY : Math.max(0, maxFactsPerDay - addedToday);
};

/** Refuses the push if the grant has changed since the token was accepted. */
const requireSameGrant = async (
  transaction: PluginTransaction,
  { tenantId, peerId, grantVersion }: Peering,
  peerings: Pick<Peerings, 'read'>,
): Promise<void> => {
  const now = await peerings.read(transaction, tenantId, peerId);
  if (now?.status === 'active' && now.grantVersion === grantVersion) return;
  throw new ServiceError('unavailable', 'the peering has changed meanwhile; send the facts again', {
    headers: { 'Retry-After': '1' },
  });
};

const summaryOf = (verdicts: readonly IngestVerdict[]) => {
  const errors = verdicts.flatMap((verdict) =>
    verdict.kind === 'rejected' ? [{ fact_id: verdict.factId, error: verdict.error }] : [],
  );
  return { accepted: verdicts.length - errors.length, rejected: errors.length, errors };
};
