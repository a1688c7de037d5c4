import { SENT_VALUE } from '../../kernel/internal-api.ts';
import { component, defineComponent, type JsonSchema, SCOPES } from '../../kernel/plugin-api.ts';
import { AssertionMembers } from './facts-api.ts';

const assigned: JsonSchema = { description: 'Has no effect: the node assigns it.' };

/**
 * The built-in members of an assertion, which no plugin adds. The schema only documents them. The assertion reader
 * checks them, because each kind of violation has its own error code.
 */
export const OWN_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  entity: { type: 'string', minLength: 1, maxLength: 2048, description: 'What the fact is about: a URI or an own id.' },
  relation: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    description: 'What is said of it, such as `memory:role`; without white space.',
  },
  value: component(SENT_VALUE),
  source: {
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    description: 'Where the fact comes from: a URI or an own id.',
  },
  confidence: {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    default: 1,
    description: '0 retracts what was said before.',
  },
  scope: { type: ['string', 'null'], enum: [...SCOPES, null], default: 'local', description: 'Who may read the fact.' },
  valid_from: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the fact begins to hold; at once, unless given. At most `valid_until`.',
  },
  valid_until: { type: ['string', 'null'], format: 'date-time', description: 'When the fact expires.' },
  timestamp: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was so; now, unless given. At most 300 seconds ahead.',
  },
  session_id: { type: ['string', 'null'], description: 'The session, if named, must be the one of the header.' },
  id: assigned,
  hlc: assigned,
  cid: assigned,
  attested: assigned,
  received_from: assigned,
  tenant_id: assigned,
};

export const REQUIRED_MEMBERS = ['entity', 'relation', 'value', 'source'] as const;

/** Clients send these members as null with every assertion, even if no plugin reads them. */
export const MAY_BE_NULL = ['garden_id', 'attestation'] as const;

const NULL_ALONE: JsonSchema = { type: 'null', description: 'The plugin that reads it is switched off.' };

/** The schema for the body of `POST /v1/facts`, and for each item of a batch. */
export const ASSERTION = defineComponent('Assertion', {
  summary: 'what a client asserts',
  json: (vocabulary) => ({
    type: 'object',
    properties: {
      ...OWN_MEMBERS,
      ...Object.fromEntries(MAY_BE_NULL.map((name) => [name, NULL_ALONE])),
      ...Object.fromEntries(vocabulary.words(AssertionMembers).map((member) => [member.id, shownMember(member)])),
    },
    required: REQUIRED_MEMBERS,
    additionalProperties: false,
  }),
});

const shownMember = ({ schema, summary }: { readonly schema: object; readonly summary: string }): JsonSchema => ({
  ...schema,
  description: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
});
