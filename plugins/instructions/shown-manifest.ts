import type { JsonSchema } from '../../kernel/plugin-api.ts';

/** Maximum length of one description, and of one trigger. */
export const MAX_DESCRIPTION_LENGTH = 120;
export const MAX_TRIGGER_LENGTH = 1_024;

const TEXTS: JsonSchema = { type: ['array', 'null'], items: { type: 'string', maxLength: MAX_TRIGGER_LENGTH } };
const SWITCH: JsonSchema = { type: ['boolean', 'null'] };

/** An entry of a manifest. `readManifest` checks it with its own error codes, and refuses other members. */
export const MANIFEST_ENTRY_JSON: JsonSchema = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      description: 'The name of the unit, once in a manifest, without white space.',
    },
    description: { type: 'string', maxLength: MAX_DESCRIPTION_LENGTH, description: 'What the unit is about.' },
    fact_uri: {
      type: 'string',
      description: 'The entity with the text: `instruction:<deployment>/agent/<agent_id>/<name>/<version>`.',
    },
    cid: {
      type: ['string', 'null'],
      pattern: '^[sS][hH][aA]256:[0-9a-fA-F]{64}$',
      description: 'Pins the text: only the fact with this content id is loaded.',
    },
    path: { type: 'null', description: 'A unit never names a file.' },
    load_triggers: {
      type: ['object', 'null'],
      properties: { intents: TEXTS, keywords: TEXTS, task_types: TEXTS },
      description: 'What an agent is about to do when it needs the unit.',
    },
    token_estimate: { type: ['integer', 'null'], minimum: 0 },
    guarantee_load: { ...SWITCH, description: 'The unit is loaded whatever the intent; at most five of a manifest.' },
    guaranteed_load: { ...SWITCH, description: 'Another name of `guarantee_load`.' },
    force_position: { type: ['string', 'null'], enum: ['prepend', null], description: 'The unit comes first.' },
    required_by_task_types: TEXTS,
  },
  required: ['name', 'description', 'fact_uri'],
};

/** The body of `PUT .../instruction-manifest` in the API description. */
export const SHOWN_MANIFEST: JsonSchema = {
  type: 'object',
  properties: {
    version: { type: 'string', description: 'The name of this version; a version never changes.' },
    entries: { type: 'array', items: MANIFEST_ENTRY_JSON },
    skip_coverage_gate: {
      type: ['boolean', 'null'],
      default: false,
      description: 'Publishes the manifest although a unit has no live fact yet.',
    },
  },
  required: ['version', 'entries'],
};
