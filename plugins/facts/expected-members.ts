import { SHARE_JSON } from '../../kernel/internal-api.ts';
import { BOOLEAN_JSON, defineExpectedMember, orNull, STRING_JSON } from '../../kernel/plugin-api.ts';

/**
 * Members that clients expect in every fact object. Plugins set them; the defaults here apply while such a plugin is
 * off.
 */
export const EXPECTED_MEMBERS = [
  defineExpectedMember('contradicted', { json: BOOLEAN_JSON, after: 'cid', read: () => false }),
  defineExpectedMember('differs_elsewhere', {
    json: { type: 'boolean', const: true },
    after: 'contradicted',
    optional: true,
    read: () => undefined,
  }),
  defineExpectedMember('origin_allowed_scopes', { json: { type: 'null' }, after: 'origin_node_id', read: () => null }),
  defineExpectedMember('source_trust', { json: orNull(SHARE_JSON), read: () => null }),
  defineExpectedMember('effective_confidence', { json: orNull(SHARE_JSON), read: () => null }),
  defineExpectedMember('quarantine_status', { json: orNull(STRING_JSON), read: () => null }),
  defineExpectedMember('quarantine_garden_id', { json: orNull(STRING_JSON), read: () => null }),
  defineExpectedMember('sanitizer_warnings', { json: { type: 'array', maxItems: 0 }, read: () => [] }),
  defineExpectedMember('sanitizer_redacted', { json: { type: 'boolean', const: false }, read: () => false }),
];
