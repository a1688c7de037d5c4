import { sha256Hex } from '../../kernel/plugin-api.ts';
import type { MemoryCard } from './cards-api.ts';

/** A card as the route shows it. */
export const cardJson = (card: MemoryCard) => ({
  entity_uri: card.entity,
  scope: card.scope,
  summary: card.summary,
  fact_hashes: card.factIds.map((id) => sha256Hex(id)),
  avg_confidence: card.averageConfidence,
  refreshed_at: card.refreshedAt,
  is_stale: card.isStale,
  card_stale: card.isStale,
  has_contradictions: card.contradictedCount > 0,
  contradicted_count: card.contradictedCount,
  ...(card.timedOut ? { force_refresh_timeout: true } : {}),
});
