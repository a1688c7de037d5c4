import { defineErrorCode, defineReservedRelation } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const INSTRUCTION_SCOPE_DENIED = defineErrorCode('instruction_scope_denied', {
  status: 403,
  summary: 'the key may not read instructions',
});
export const MANIFEST_NOT_FOUND = defineErrorCode('manifest_not_found', {
  status: 404,
  summary: 'nothing is published for the agent',
});
export const MANIFEST_VERSION_CONFLICT = defineErrorCode('manifest_version_conflict', {
  status: 409,
  summary: 'the version is published with other content',
});
export const MANIFEST_ENTRY_INVALID = defineErrorCode('manifest_entry_invalid', {
  status: 422,
  summary: 'an entry of the manifest breaks a rule',
});
export const GUARANTEE_CAP_EXCEEDED = defineErrorCode('guarantee_cap_exceeded', {
  status: 422,
  summary: 'the manifest guarantees more units than it may',
});
export const MANIFEST_TOO_LARGE = defineErrorCode('manifest_too_large', {
  status: 422,
  summary: 'the manifest takes more tokens than it may',
});
export const MANIFEST_COVERAGE_FAILURE = defineErrorCode('manifest_coverage_failure', {
  status: 422,
  summary: 'units of the manifest have no live fact with authority',
});
export const AUDIT_TOKEN_INVALID = defineErrorCode('audit_token_invalid', {
  status: 422,
  summary: 'the audit token was not given to the caller',
});
export const AUDIT_TOKEN_EXPIRED = defineErrorCode('audit_token_expired', {
  status: 422,
  summary: 'the audit token is too old',
});

export const MANIFEST_PUBLISH = defineAuditEvent('manifest_publish', { summary: 'a manifest was published' });
export const INSTRUCTION_AUDIT = defineAuditEvent('instruction_audit', {
  summary: 'an agent told what became of an instruction',
});

/** Facts of this relation are manifests. Agents follow them, so all of them pass the checks of publishing. */
export const MANIFEST = defineReservedRelation('instruction:manifest', {
  summary: 'a published manifest of an agent',
  writtenBy: 'publishing a manifest',
});
