import type { ErasureSubject } from '../../../kernel/internal-api.ts';
import { all, any, equals, type Filter, inTable, SCOPES } from '../../../kernel/plugin-api.ts';
import type { Tombstone } from '../tombstones-api.ts';

/** Returns the facts that a tombstone's erasure destroys: those of all nodes, or of one. */
export const subjectOf = (
  { tenantId, entityKey, scope }: Pick<Tombstone, 'tenantId' | 'entityKey' | 'scope'>,
  originNodeId: string | null,
): ErasureSubject => ({
  tenantId,
  entityKey,
  scopes: scope === '*' ? SCOPES : [scope],
  filter: originNodeId === null ? all() : saidBy(originNodeId),
});

/** Matches the facts that a node sent itself or signed. A peer may request the erasure of only these. */
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
