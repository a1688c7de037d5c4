import { parseInstant } from '../../ports/instant.ts';
import type { PreparedFact } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { DraftParts } from './append-api.ts';
import { contentId } from './content-id.ts';
import type { Appender, FactDraft } from './fact-draft.ts';
import { storedValueKey, type ValueKeyParts } from './fact-value.ts';
import type { FactNameKeys } from './match-key.ts';
import type { NameRules } from './name-rules.ts';

export interface PreparingParts extends ValueKeyParts {
  readonly nameRules: NameRules;
  readonly random: Random;
}

/**
 * Derives all members of a fact from its draft. Runs before the transaction, so that hashing and parsing do not hold
 * the append lock. `parts` come from handlers of `append:read`.
 */
export const prepareFact = (
  draft: FactDraft,
  keys: FactNameKeys,
  { caller, origin }: Appender,
  { names, nameRules, random, seal }: PreparingParts,
  parts: DraftParts = NO_PARTS,
): PreparedFact => {
  const { entityKey, relationKey, sourceKey } = keys;
  const { tenantId } = caller;
  const { scope, value } = draft;
  const gardenId = parts.gardenId ?? draft.gardenId ?? null;
  return {
    id: draft.id ?? random.uuid(),
    tenantId,
    entity: draft.entity,
    entityKey,
    relation: draft.relation,
    relationKey,
    scope,
    value,
    valueKey: storedValueKey({ tenantId, entityKey, scope, value }, { names, seal }),
    source: draft.source,
    sourceKey,
    timestamp: draft.timestamp ?? null,
    timestampMs: instantOf(draft.timestamp),
    confidence: draft.confidence,
    validFrom: draft.validFrom ?? null,
    validFromMs: instantOf(draft.validFrom),
    validUntil: draft.validUntil ?? null,
    validUntilMs: instantOf(draft.validUntil),
    gardenId,
    cid: contentId(draft),
    derivedFrom: parts.derivedFrom?.({ scope, gardenId }) ?? draft.derivedFrom ?? [],
    replaces: parts.replaces ?? draft.replaces ?? NO_NAMES,
    system: nameRules.isSystem(keys),
    attested: parts.attested ?? draft.attested ?? null,
    attestedKeyId: parts.attestedKeyId ?? draft.attestedKeyId ?? null,
    sessionId: draft.sessionId ?? null,
    assertedBy: origin === 'peer' ? null : caller.entityUri,
    receivedFrom: draft.receivedFrom ?? null,
    originNodeId: draft.originNodeId ?? null,
    speaker: draft.speaker ?? null,
    originId: draft.originId ?? null,
    hlcText: draft.hlcText ?? null,
  };
};

const NO_PARTS: DraftParts = Object.freeze({});
const NO_NAMES: readonly string[] = Object.freeze([]);

const instantOf = (text: string | null | undefined): number | null => (text == null ? null : parseInstant(text));
