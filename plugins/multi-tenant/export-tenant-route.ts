import {
  DEFAULT_TENANT,
  type Principal,
  type Route,
  requirePermission,
  SCOPES,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditLog } from '../audit/audit-api.ts';
import type { TenantTransfer } from '../transfer/transfer-api.ts';
import type { Tenancy } from './multi-tenant-api.ts';
import { TENANT_PARAMS, type TenantParams } from './tenant-routes.ts';

export interface ExportParts {
  readonly tenancy: Pick<Tenancy, 'administer'>;
  readonly transfer: TenantTransfer | undefined;
  readonly audit: AuditLog | undefined;
}

/** `GET /v1/tenants/{id}/export`: the output of the command `export`, for another store or for the tenant itself. */
export const exportTenantRoute = ({ tenancy, transfer, audit }: ExportParts): Route<TenantParams> => ({
  method: 'GET',
  path: '/v1/tenants/:id/export',
  cost: 1_000,
  summary: 'All facts of a tenant with all that is needed to restore them, as JSON lines',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  params: TENANT_PARAMS,
  answers: { 200: { text: ['application/x-ndjson'] } },
  example: { params: { id: 'acme' } },
  async handle({ caller, params, signal }) {
    await tenancy.administer(caller, params.id);
    requireAllFacts(caller);
    if (transfer === undefined) throw new ServiceError('unavailable', 'no plugin of this node exports tenants');
    const { entityUri, oidcSub } = caller;
    const detail = { action: 'tenant_export', tenant_id: params.id };
    await audit?.record({ event: ADMIN_ACTION, tenantId: DEFAULT_TENANT, entityUri, oidcSub, detail });
    return {
      status: 200,
      contentType: 'application/x-ndjson',
      headers: { 'Content-Disposition': `attachment; filename="${params.id}.ndjson"` },
      text: exportLines(transfer, params.id, signal),
    };
  },
});

/** An export contains facts of every scope, so the key must be allowed to read them all. */
const requireAllFacts = (caller: Principal): void => {
  requirePermission(caller, 'read');
  if (SCOPES.every((scope) => caller.allowedScopes.has(scope))) return;
  throw new ServiceError('authorization', 'an export has facts of all scopes, and the key lacks some of them');
};

/** Yields lines at the speed of the reader. The export ends when the reader stops. */
async function* exportLines(
  transfer: TenantTransfer,
  tenantId: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let waiting:
    | { readonly text: string; readonly taken: () => void; readonly refuse: (error: Error) => void }
    | undefined;
  let arrived = (): void => {};
  let hasEnded = false;
  let isGone = false;
  const gone = (): Error => new Error('nobody takes the export any more');
  const done = transfer
    .export(tenantId, (lines) => {
      if (isGone || signal.aborted) return Promise.reject(gone());
      return new Promise<void>((taken, refuse) => {
        waiting = { text: lines.join(''), taken, refuse };
        arrived();
      });
    })
    .finally(() => {
      hasEnded = true;
      arrived();
    });
  done.catch(() => {});
  try {
    for (;;) {
      if (waiting === undefined && !hasEnded) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      const next = waiting as typeof waiting;
      if (next === undefined) break;
      waiting = undefined;
      yield next.text;
      next.taken();
    }
    await done;
  } finally {
    isGone = true;
    waiting?.refuse(gone());
  }
}
