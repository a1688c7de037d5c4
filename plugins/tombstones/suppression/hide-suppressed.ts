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
  type ServiceNames,
} from '../../../kernel/plugin-api.ts';
import { HIDDEN, HIDDEN_SYSTEM_FACTS } from '../markers/marker-tables.ts';
import { ALL_ABOUT_FACTS, WHOLE_SCOPE } from './hidden-rows.ts';
import { aboutConflicts, aboutFacts } from './system-facts.ts';

const SAME_TENANT: ColumnMatch = { column: 'tenant_id', is: 'equal', field: 'tenantId' };

const SAME_ENTITY: readonly ColumnMatch[] = [
  SAME_TENANT,
  { column: 'entity_key', is: 'equal', field: 'entityKey' },
  { column: 'scope', is: 'equal', field: 'scope' },
];

const SAME_ORIGIN: ColumnMatch = { column: 'origin_node_id', is: 'equal', field: 'originNodeId' };

/**
 * Matches facts that no tombstone hides from the caller. It reads the store each time, so that a tombstone takes effect
 * at once in every process.
 */
export const notSuppressedFor = (caller: Principal, names: ServiceNames): Filter => {
  const seesHeld = caller.kind === 'node' || hasPermission(caller, 'admin');
  const held: readonly ColumnCondition[] = seesHeld ? [{ column: 'held', in: [0] }] : [];
  const ofAll = inTable(HIDDEN, SAME_ENTITY, [{ column: 'origin_node_id', in: [''] }, ...held]);
  const ofOrigin = inTable(HIDDEN, [...SAME_ENTITY, SAME_ORIGIN], held);
  const ofScope = all(aboutConflicts(names), inTable(HIDDEN_SYSTEM_FACTS, WHOLE_SCOPE, held));
  const whileFollowed = [{ column: 'fact_id', in: [ALL_ABOUT_FACTS] }, ...held];
  const ofFacts = all(aboutFacts(names), inTable(HIDDEN_SYSTEM_FACTS, [SAME_TENANT], whileFollowed));
  const ofSystem = all(equals('system', true), any(inTable(HIDDEN_SYSTEM_FACTS, SAME_FACT, held), ofScope, ofFacts));
  return all(not(any(ofAll, ofOrigin, ofSystem)));
};
