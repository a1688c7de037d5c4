import type { FactStore, Row, StoredFact } from '../../ports/ports.ts';
import { storedText } from '../../ports/stored-text.ts';

/** Stores facts as they were stored before migration 042: a row of the feed beside that of the fact. */
export const storeFactsAsBefore = (store: FactStore, facts: readonly StoredFact[]): Promise<void> =>
  store.write('default', async (transaction) => {
    await transaction.insertRows('facts', facts.map(rowBefore));
    await transaction.insertRows(
      'feed',
      facts.map(({ feed, id, tenantId }) => ({
        wall: feed.wallMs,
        ctr: feed.counter,
        kind: 'fact',
        subject_id: id,
        tenant_id: tenantId,
      })),
    );
  });

const rowBefore = (fact: StoredFact): Row => ({
  id: fact.id,
  tenant_id: fact.tenantId,
  entity: fact.entity,
  entity_key: fact.entityKey,
  relation: fact.relation,
  relation_key: fact.relationKey,
  scope: fact.scope,
  value_type: fact.value.type,
  value_v: storedText(fact.value.v),
  value_key: fact.valueKey,
  interpret_as: fact.value.interpretAs,
  source: fact.source,
  source_key: fact.sourceKey,
  timestamp: fact.timestamp,
  timestamp_ms: fact.timestampMs,
  confidence: fact.confidence,
  valid_until: fact.validUntil,
  valid_until_ms: fact.validUntilMs,
  garden_id: fact.gardenId,
  cid: fact.cid,
  derived_from: fact.derivedFrom.length === 0 ? null : JSON.stringify(fact.derivedFrom),
  system: fact.system,
  attested: fact.attested,
  attested_key_id: fact.attestedKeyId,
  session_id: fact.sessionId,
  asserted_by: fact.assertedBy,
  received_from: fact.receivedFrom,
  origin_node_id: fact.originNodeId,
  hlc_wall: fact.hlc.wallMs,
  hlc_ctr: fact.hlc.counter,
  hlc_text: fact.hlcText,
  feed_wall: fact.feed.wallMs,
  feed_ctr: fact.feed.counter,
});
