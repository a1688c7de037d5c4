import { type ColumnCondition, SAME_FACT } from '../../../kernel/internal-api.ts';
import {
  all,
  any,
  type ColumnMatch,
  equals,
  type Filter,
  hasPermission,
  inTable,
  not,
  type Principal,
} from '../../../kernel/plugin-api.ts';
import { HIDDEN, HIDDEN_SYSTEM_FACTS } from '../markers/marker-tables.ts';

const SAME_ENTITY: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'entity_key', is: 'equal', field: 'entityKey' },
  { column: 'scope', is: 'equal', field: 'scope' },
];

const SAME_ORIGIN: ColumnMatch = { column: 'origin_node_id', is: 'equal', field: 'originNodeId' };

/**
 * Matches facts that no tombstone hides from the caller. It reads the store each time, so that a tombstone takes effect
 * at once in every process.
 */
export const notSuppressedFor = (caller: Principal): Filter => {
  const seesHeld = caller.kind === 'node' || hasPermission(caller, 'admin');
  const held: readonly ColumnCondition[] = seesHeld ? [{ column: 'held', in: [0] }] : [];
  const ofAll = inTable(HIDDEN, SAME_ENTITY, [{ column: 'origin_node_id', in: [''] }, ...held]);
  const ofOrigin = inTable(HIDDEN, [...SAME_ENTITY, SAME_ORIGIN], held);
  const ofSystem = all(equals('system', true), inTable(HIDDEN_SYSTEM_FACTS, SAME_FACT, held));
  return all(not(any(ofAll, ofOrigin, ofSystem)));
};
