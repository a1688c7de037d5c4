import type { RelationRules } from '../relations/relations-api.ts';

/** Tells which relations hold many values. */
export type HeldRelations = Pick<RelationRules, 'at'>;

/** Stands for the rules of a node without the plugin `relations`: each relation holds one value. */
export const ONE_VALUE: HeldRelations = {
  at: () => ({ ruleOf: () => undefined, holdsMany: () => false, many: undefined }),
};
