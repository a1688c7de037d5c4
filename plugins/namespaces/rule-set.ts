import { prefixOf } from './namespace-pattern.ts';

/** Match keys of the entities that may write in a namespace. */
export type OwnerKeys = ReadonlySet<string>;

/** The rules of one tenant. */
export interface RuleSet {
  readonly isEmpty: boolean;
  /** Returns the owners in the longest pattern that covers the key. Undefined if every caller may write. */
  ownersOf(entityKey: string): OwnerKeys | undefined;
}

/** `rules` maps the keys of patterns to owners. */
export const createRuleSet = (rules: ReadonlyMap<string, OwnerKeys>): RuleSet => {
  const entities = new Map<string, OwnerKeys>();
  const prefixes = new Map<string, OwnerKeys>();
  for (const [key, owners] of rules) {
    const prefix = prefixOf(key);
    if (prefix === null) entities.set(key, owners);
    else prefixes.set(prefix, owners);
  }
  // Tries only the lengths of existing patterns, so that an entity with a thousand slashes costs no more than others.
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  return {
    isEmpty: rules.size === 0,
    ownersOf(entityKey) {
      const own = entities.get(entityKey);
      if (own !== undefined) return own;
      for (const length of lengths) {
        if (entityKey.charAt(length - 1) !== '/') continue;
        const owners = prefixes.get(entityKey.slice(0, length));
        if (owners !== undefined) return owners;
      }
      return undefined;
    },
  };
};

export const NO_RULES = createRuleSet(new Map());
