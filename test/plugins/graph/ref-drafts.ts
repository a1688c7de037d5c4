import type { FactDraft, Principal } from '../../../kernel/plugin-api.ts';
import { SCOPES } from '../../../kernel/plugin-api.ts';

/** The asserter of facts that a test stores without HTTP. */
export const WRITER: Principal = {
  kind: 'key',
  entityUri: 'agent:writer',
  permissions: new Set(['read', 'write']),
  allowedScopes: new Set(SCOPES),
  tenantId: 'default',
  keyId: 'k',
  oidcSub: null,
};

/** A fact in which `entity` references `object`. */
export const refDraft = (entity: string, object: string, members: Partial<FactDraft> = {}): FactDraft => ({
  entity,
  relation: 'rel:knows',
  value: { type: 'ref', v: object, interpretAs: 'content' },
  source: 'agent:s',
  confidence: 1,
  scope: 'company',
  ...members,
});
