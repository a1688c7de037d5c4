import {
  COUNT_JSON,
  CURSOR_JSON,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { NamespaceRule } from './namespaces-api.ts';

export const NAMESPACE_JSON = objectOf({
  pattern: STRING_JSON,
  owners: listOf(STRING_JSON),
  set_by: STRING_JSON,
  set_at: INSTANT_JSON,
});

export const NAMESPACE_PAGE_JSON = objectOf({
  enforced: { type: 'boolean' },
  namespaces: listOf(NAMESPACE_JSON),
  total: COUNT_JSON,
  cursor: CURSOR_JSON,
});

export const namespaceJson = ({ pattern, owners, setBy, setMs }: NamespaceRule) => ({
  pattern,
  owners,
  set_by: setBy,
  set_at: formatInstant(setMs),
});
