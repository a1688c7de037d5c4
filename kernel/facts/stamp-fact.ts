import { formatInstant } from '../../ports/instant.ts';
import type { Hlc, PreparedFact, StoredFact } from '../../ports/ports.ts';
import { formatHlc, parseHlc, receiveHlc, tickHlc } from '../time/hybrid-logical-clock.ts';

/**
 * Gives a fact its stamps. `last` is the node's clock, and the fact's feed stamp is the clock's next value. A stamp
 * that came with the fact remains its origin stamp. The code lists every member, because spreading a large object is
 * slow.
 */
export const stampFact = (fact: PreparedFact, last: Hlc, nowMs: number): StoredFact => {
  const origin = fact.hlcText === null ? null : parseHlc(fact.hlcText);
  const feed = origin === null ? tickHlc(last, nowMs) : receiveHlc(last, nowMs, origin);
  return {
    id: fact.id,
    tenantId: fact.tenantId,
    entity: fact.entity,
    entityKey: fact.entityKey,
    relation: fact.relation,
    relationKey: fact.relationKey,
    scope: fact.scope,
    value: fact.value,
    valueKey: fact.valueKey,
    source: fact.source,
    sourceKey: fact.sourceKey,
    timestamp: fact.timestamp ?? formatInstant(nowMs),
    timestampMs: fact.timestampMs ?? nowMs,
    confidence: fact.confidence,
    validFrom: fact.validFrom,
    validFromMs: fact.validFromMs,
    validUntil: fact.validUntil,
    validUntilMs: fact.validUntilMs,
    gardenId: fact.gardenId,
    cid: fact.cid,
    derivedFrom: fact.derivedFrom,
    replaces: fact.replaces,
    system: fact.system,
    attested: fact.attested,
    attestedKeyId: fact.attestedKeyId,
    sessionId: fact.sessionId,
    assertedBy: fact.assertedBy,
    receivedFrom: fact.receivedFrom,
    originNodeId: fact.originNodeId,
    speaker: fact.speaker,
    originId: fact.originId,
    hlc: origin ?? feed,
    hlcText: origin === null || fact.hlcText === null ? formatHlc(feed) : fact.hlcText,
    feed,
  };
};
