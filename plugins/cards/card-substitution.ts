import { NO_LONG_VALUES, plainView } from '../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactReader,
  type FactView,
  formatInstant,
  isIn,
  matchKey,
  type Scope,
  type ServiceNames,
  type StoredFact,
  withMark,
} from '../../kernel/plugin-api.ts';
import { CONTRADICTED } from '../conflicts/conflicts-api.ts';
import { defineDegradation, type EntitySummary, type SummaryRequest } from '../recall/recall-api.ts';
import { effectiveConfidence } from '../source-trust/source-trust-api.ts';
import type { Card } from './card.ts';
import type { StoredCards } from './memory-cards.ts';

export const CARD_REFRESH_TIMEOUT = defineDegradation('card_refresh_timeout', {
  summary: 'the card of the entity was to be fresh, and took too long',
});

/**
 * Returns the card that replaces the facts of an entity in a recall. A card covers one scope, so there is none if the
 * caller sees facts of the entity in several scopes.
 */
export const cardForRecall = async (
  { entity, reader, view, forceRefresh }: SummaryRequest,
  cards: StoredCards,
  names: ServiceNames,
): Promise<EntitySummary> => {
  if (view.onlyGarden !== undefined) return NO_CARD;
  const entityKey = matchKey(entity, names);
  const scopes = await scopesOf(reader, entityKey, view.scopes);
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1) return NO_CARD;
  const subject = { entityKey, scope };
  const kept = await cards.fresh(reader, subject);
  const { card, timedOut } =
    kept === undefined && forceRefresh ? await cards.freshWithin(reader, subject) : { card: kept, timedOut: false };
  const degraded = timedOut ? [CARD_REFRESH_TIMEOUT] : [];
  if (card === undefined || !(await isConfident(card, view.minConfidence, reader))) return { fact: null, degraded };
  return { fact: syntheticFact(card, { ...subject, entity }, reader, names), degraded };
};

const NO_CARD: EntitySummary = { fact: null, degraded: [] };

/**
 * Returns true if all facts of the card meet the minimum confidence of the request. Otherwise the card would reveal
 * filtered facts.
 */
const isConfident = async ({ factIds }: Card, minConfidence: number, reader: FactReader): Promise<boolean> => {
  const facts = await reader.find(isIn('id', factIds), {
    view: 'live',
    order: 'feed',
    limit: factIds.length,
    longValues: NO_LONG_VALUES,
  });
  const views = await reader.annotate(facts);
  return views.every((view) => effectiveConfidence(view) >= minConfidence);
};

const scopesOf = async (reader: FactReader, entityKey: string, among: readonly Scope[]): Promise<Scope[]> => {
  const found = await Promise.all(
    among.map((scope) =>
      reader.find(all(equals('entityKey', entityKey), equals('scope', scope)), {
        view: 'live',
        order: 'feed',
        limit: 1,
      }),
    ),
  );
  return among.filter((_, at) => (found[at]?.length ?? 0) > 0);
};

/** Makes the synthetic fact of a card. Its id exists in no store. */
const syntheticFact = (
  card: Card,
  { entity, entityKey, scope }: { readonly entity: string; readonly entityKey: string; readonly scope: Scope },
  { caller }: FactReader,
  names: ServiceNames,
): FactView => {
  const relation = names.meta('memory:card');
  const timestamp = formatInstant(card.refreshedMs);
  // The `upTo` stamp of the card would reveal facts that the reader may not see.
  const hlc = { wallMs: card.refreshedMs, counter: 0 };
  const fact: StoredFact = {
    id: `card:${entity}`,
    tenantId: caller.tenantId,
    entity,
    entityKey,
    relation,
    relationKey: relation,
    value: { type: 'text', v: card.summary, interpretAs: 'content' },
    valueKey: '',
    source: names.systemSource,
    sourceKey: names.systemSource,
    timestamp,
    timestampMs: card.refreshedMs,
    confidence: card.averageConfidence,
    scope,
    validFrom: null,
    validFromMs: null,
    validUntil: null,
    validUntilMs: null,
    gardenId: null,
    cid: '',
    derivedFrom: [],
    replaces: [],
    system: true,
    attested: null,
    attestedKeyId: null,
    sessionId: null,
    assertedBy: null,
    receivedFrom: null,
    originNodeId: null,
    speaker: null,
    originId: null,
    hlc,
    hlcText: `${hlc.wallMs}.${hlc.counter}`,
    feed: hlc,
  };
  const view = plainView(fact);
  return card.contradictedCount > 0 ? withMark(view, CONTRADICTED, true) : view;
};
