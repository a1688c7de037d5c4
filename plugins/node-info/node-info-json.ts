import {
  BOOLEAN_JSON,
  INSTANT_JSON,
  type JsonSchema,
  listOf,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';

/** The metadata document. Its schema is open, because plugins add members through the hook `node:metadata`. */
export const METADATA_JSON: JsonSchema = {
  ...objectOf({
    version: STRING_JSON,
    node_id: STRING_JSON,
    node_url: STRING_JSON,
    auth: { type: 'string', enum: ['none', 'required'] },
    federation: { type: 'string', enum: ['disabled', 'enabled'] },
    source_attestation: { type: 'string', enum: ['enforce', 'warn', 'off'] },
    namespaces: listOf(STRING_JSON),
    unicode_version: STRING_JSON,
    spec: STRING_JSON,
    cors: objectOf({ dev_localhost: BOOLEAN_JSON, configured: BOOLEAN_JSON }),
    federation_pubkey: STRING_JSON,
    federation_keys: listOf(
      objectOf({
        key_id: STRING_JSON,
        public_key: STRING_JSON,
        valid_from: INSTANT_JSON,
        valid_until: orNull(INSTANT_JSON),
        signed_by: orNull(objectOf({ key_id: STRING_JSON, signature: STRING_JSON })),
      }),
    ),
  }),
  additionalProperties: true,
};

const statusIs = (status: string): JsonSchema => objectOf({ status: { type: 'string', const: status } });

export const HEALTHY_JSON = statusIs('ok');
export const READY_JSON = statusIs('ready');
export const UNHEALTHY_JSON = statusIs('unavailable');
