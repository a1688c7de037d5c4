import { SCOPES, type StoredFact } from '../../ports/ports.ts';
import {
  BOOLEAN_JSON,
  INSTANT_JSON,
  type JsonSchema,
  listOf,
  orNull,
  SHARE_JSON,
  STRING_JSON,
} from '../schemas/answer-schemas.ts';
import { component } from '../vocabulary/components.ts';
import { defineExpectedMember, defineFactMember, type FactMember } from './fact-members.ts';
import { idInName } from './fact-names.ts';
import { FACT_VALUE } from './fact-schema.ts';

const member = (name: string, json: JsonSchema, read: (fact: StoredFact) => unknown): FactMember =>
  defineFactMember(name, { json, read: ({ fact }) => read(fact) });

/** The members of every fact object, in the order of the JSON. */
export const CORE_MEMBERS: readonly FactMember[] = [
  member('id', STRING_JSON, ({ id }) => id),
  member('entity', STRING_JSON, ({ entity }) => entity),
  member('relation', STRING_JSON, ({ relation }) => relation),
  member('value', component(FACT_VALUE), ({ value: { type, v, interpretAs } }) => ({
    type,
    v,
    interpret_as: interpretAs,
  })),
  member('source', STRING_JSON, ({ source }) => source),
  member('timestamp', INSTANT_JSON, ({ timestamp }) => timestamp),
  member('hlc', { type: 'string', pattern: '^[0-9]{1,15}\\.[0-9]{1,10}$' }, ({ hlcText }) => hlcText),
  member('received_from', orNull(STRING_JSON), ({ receivedFrom }) => receivedFrom),
  // Optional, because few facts have a beginning.
  defineFactMember('valid_from', {
    json: INSTANT_JSON,
    read: ({ fact }) => fact.validFrom ?? undefined,
    optional: true,
  }),
  member('valid_until', orNull(INSTANT_JSON), ({ validUntil }) => validUntil),
  member('confidence', SHARE_JSON, ({ confidence }) => confidence),
  member('scope', { type: 'string', enum: [...SCOPES] }, ({ scope }) => scope),
  // Shows the plain identifier, which every route accepts, unless a plugin provides a better name.
  defineExpectedMember('garden_id', { json: orNull(STRING_JSON), read: ({ fact }) => fact.gardenId }),
  // A synthetic fact is not stored, so it has no content id.
  member('cid', { type: ['string', 'null'], pattern: '^sha256:[0-9a-f]{64}$' }, ({ cid }) => (cid === '' ? null : cid)),
  member('attested', orNull(BOOLEAN_JSON), ({ attested }) => attested),
  member('attested_key_id', orNull(STRING_JSON), ({ attestedKeyId }) => attestedKeyId),
  member('origin_node_id', orNull(STRING_JSON), ({ originNodeId }) => originNodeId),
  // Only facts that share an id with another fact carry this member, and they are rare.
  defineFactMember('origin_id', {
    json: STRING_JSON,
    read: ({ fact }) => fact.originId ?? undefined,
    optional: true,
  }),
  defineFactMember('warnings', {
    json: listOf(STRING_JSON),
    read: ({ fact, warnings }) => (fact.relation.includes(':') ? warnings : [...warnings, NO_NAMESPACE]),
  }),
  member(
    'derived_from',
    listOf({ type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }),
    ({ derivedFrom }) => derivedFrom,
  ),
  // Optional, because few facts name others that they end.
  defineFactMember('replaces', {
    json: listOf(STRING_JSON),
    read: ({ fact: { replaces } }) => (replaces.length === 0 ? undefined : replaces.map(idInName)),
    optional: true,
  }),
  defineFactMember('damaged', { json: STRING_JSON, read: ({ fact }) => fact.damage, optional: true }),
];

/** A warning about a stored fact. Every read repeats it, because it is a property of the fact. */
const NO_NAMESPACE = 'the relation has no namespace; write it as namespace:name to keep it apart from others';
