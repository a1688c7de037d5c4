import type { PreparedFact, Principal } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import { parseInstant } from '../time/instant.ts';
import { contentId } from './content-id.ts';
import { valueKey } from './fact-value.ts';
import type { FactDraft, Origin } from './facts-api.ts';
import { isSystemName, matchKey } from './match-key.ts';

/**
 * Computes all that follows from a draft alone. Done before the fact joins a transaction, so that the append lock is
 * never held over hashing and parsing.
 */
export function prepareFact(
  draft: FactDraft,
  caller: Principal,
  origin: Origin,
  { names, random }: { names: ServiceNames; random: Random },
): PreparedFact {
  const entityKey = matchKey(draft.entity, names);
  const relationKey = matchKey(draft.relation, names);
  return {
    id: draft.id ?? random.uuid(),
    tenantId: caller.tenantId,
    entity: draft.entity,
    entityKey,
    relation: draft.relation,
    relationKey,
    scope: draft.scope,
    value: draft.value,
    valueKey: valueKey(draft.value, names),
    source: draft.source,
    sourceKey: matchKey(draft.source, names),
    timestamp: draft.timestamp ?? null,
    timestampMs: instantOf(draft.timestamp),
    confidence: draft.confidence,
    validUntil: draft.validUntil ?? null,
    validUntilMs: instantOf(draft.validUntil),
    gardenId: draft.gardenId ?? null,
    cid: contentId(draft),
    derivedFrom: draft.derivedFrom ?? [],
    system: isSystemName(entityKey, relationKey, names),
    attested: draft.attested ?? null,
    attestedKeyId: draft.attestedKeyId ?? null,
    sessionId: draft.sessionId ?? null,
    assertedBy: origin === 'peer' ? null : caller.entityUri,
    receivedFrom: draft.receivedFrom ?? null,
    originNodeId: draft.originNodeId ?? null,
    hlcText: draft.hlcText ?? null,
  };
}

const instantOf = (text: string | null | undefined): number | null => (text == null ? null : parseInstant(text));
