import type { StoredFact } from '../../ports/fact.ts';
import type { NodeSelf } from '../identity/node-self.ts';
import { effectiveConfidence } from './effective-confidence.ts';
import type { FactView } from './reader-api.ts';

/** Turns what a caller sees of a fact into the fact object of wire contract 4.1, members in the order given there. */
export type FactJson = (view: FactView) => Record<string, unknown>;

/** A garden without a slug is shown by its identifier, which every route accepts as well. */
export const createFactJson =
  (self: NodeSelf): FactJson =>
  ({ fact, contradicted, differsElsewhere, warnings, sourceTrust, gardenSlug, quarantine }) => ({
    id: fact.id,
    entity: fact.entity,
    relation: fact.relation,
    value: { type: fact.value.type, v: fact.value.v, interpret_as: fact.value.interpretAs },
    source: fact.source,
    timestamp: fact.timestamp,
    hlc: fact.hlcText,
    received_from: fact.receivedFrom,
    valid_until: fact.validUntil,
    confidence: fact.confidence,
    scope: fact.scope,
    garden_id: gardenName(self, fact.gardenId, gardenSlug),
    // A synthetic fact is in no store and has none.
    cid: fact.cid === '' ? null : fact.cid,
    contradicted,
    // Said where it is so, and left out otherwise: most facts are in one place alone.
    ...(differsElsewhere === true ? { differs_elsewhere: true } : {}),
    attested: fact.attested,
    attested_key_id: fact.attestedKeyId,
    origin_node_id: fact.originNodeId,
    origin_allowed_scopes: null,
    warnings: hasNamespace(fact) ? warnings : [...warnings, NO_NAMESPACE],
    derived_from: fact.derivedFrom,
    source_trust: sourceTrust ?? null,
    effective_confidence: sourceTrust === undefined ? null : effectiveConfidence(fact.confidence, sourceTrust),
    quarantine_status: quarantine ?? null,
    quarantine_garden_id: quarantine === undefined ? null : gardenName(self, fact.gardenId, gardenSlug),
    sanitizer_warnings: [],
    sanitizer_redacted: false,
  });

/** Wire contract 1.4: stored all the same, and said again on every read, because it is a property of the fact. */
const NO_NAMESPACE = 'the relation has no namespace; write it as namespace:name to keep it apart from others';

const hasNamespace = (fact: StoredFact): boolean => fact.relation.includes(':');

const gardenName = (self: NodeSelf, gardenId: string | null, slug: string | undefined): string | null =>
  slug === undefined ? gardenId : self.names.gardenUri(self.authority, slug);
