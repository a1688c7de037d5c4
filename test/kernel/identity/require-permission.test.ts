import { expect } from 'chai';
import { requirePermission, requireReadScope } from '../../../kernel/identity/require-permission.ts';
import { AUDIT_READ } from '../../../plugins/audit/audit-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const reader = createPrincipal({ permissions: new Set(['read']), allowedScopes: new Set(['team']) });

describe('the permission check of use cases', () => {
  it('admits a caller with the permission, or with one of several', () => {
    expect(() => requirePermission(reader, 'read')).not.to.throw();
    expect(() => requirePermission(reader, ['admin', 'read'])).not.to.throw();
  });

  it('refuses any other caller and names the missing permission', () => {
    const error = thrownError(() => requirePermission(reader, ['admin', AUDIT_READ]));
    expect(error).to.include({ code: 'authorization', status: 403 });
    expect(error.message).to.equal('this needs a key with permission "admin" or "audit.read"');
  });

  it('refuses with the error code that the use case sets', () => {
    const error = thrownError(() => requirePermission(reader, 'write', 'reserved_namespace'));
    expect(error).to.include({ code: 'reserved_namespace', status: 403 });
  });

  it('admits the node itself', () => {
    const node = createPrincipal({ kind: 'node', permissions: new Set() });
    expect(() => requirePermission(node, 'admin')).not.to.throw();
  });

  it('admits a caller only to the scopes of its key', () => {
    expect(() => requireReadScope(reader, 'team')).not.to.throw();
    expect(thrownError(() => requireReadScope(reader, 'local'))).to.include({ code: 'authorization', status: 403 });
  });
});
