import type { RelationRules } from '../relations/relations-api.ts';

/** The rules that say which relations may have several values at once. */
export type HeldRelations = Pick<RelationRules, 'at'>;

/** The rules of a node without the plugin `relations`: each relation has one value. */
export const ONE_VALUE: HeldRelations = {
  at: () => ({ ruleOf: () => undefined, holdsMany: () => false, many: undefined }),
};
