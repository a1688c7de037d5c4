import { all, any, type ErasureSubject, equals, type Filter, inTable, SCOPES } from '../../../kernel/plugin-api.ts';
import type { Tombstone } from '../tombstones-api.ts';

/** What the erasure of a tombstone destroys: facts of all nodes, or those of one. */
export const subjectOf = (
  { tenantId, entityKey, scope }: Pick<Tombstone, 'tenantId' | 'entityKey' | 'scope'>,
  originNodeId: string | null,
): ErasureSubject => ({
  tenantId,
  entityKey,
  scopes: scope === '*' ? SCOPES : [scope],
  filter: originNodeId === null ? all() : saidBy(originNodeId),
});

/** A node may have facts destroyed that it said itself: they came from it, or with its signature. */
const saidBy = (nodeId: string): Filter =>
  all(
    equals('originNodeId', nodeId),
    any(
      equals('receivedFrom', nodeId),
      inTable(
        'federation_proofs',
        [
          { column: 'tenant_id', is: 'equal', field: 'tenantId' },
          { column: 'fact_id', is: 'equal', field: 'id' },
        ],
        [{ column: 'is_verified', in: [1] }],
      ),
    ),
  );
