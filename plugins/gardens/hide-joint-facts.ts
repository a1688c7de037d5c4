import { any, equals, type Filter, inTable, isNull, not, type ReadContext } from '../../kernel/plugin-api.ts';
import { ALSO_IN } from './gardens-migrations.ts';

const SAME_FACT = [{ column: 'fact_id', is: 'equal', field: 'id' }] as const;

/**
 * What is said about facts of two gardens is seen by who reads both. Only system facts are said so, and who reads no garden, or all, has nothing
 * more to be hidden.
 */
export const hideJointFacts = ({ view, gardens }: ReadContext): Filter | undefined => {
  if (view !== 'visible' || gardens === 'all' || gardens.length < 1) return undefined;
  return any(
    equals('system', false),
    isNull('gardenId'),
    not(inTable(ALSO_IN, SAME_FACT)),
    inTable(ALSO_IN, SAME_FACT, [{ column: 'garden_id', in: gardens }]),
  );
};
