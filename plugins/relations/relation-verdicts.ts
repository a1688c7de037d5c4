import { all, any, type Filter, isIn, not, startsWith } from '../../kernel/plugin-api.ts';
import { prefixOf } from './relation-pattern.ts';
import type { RelationVerdicts } from './relations-api.ts';
import type { StoredRule } from './rule-row.ts';

/** Returns the verdicts that follow from these rules. Each pattern has at most one rule. */
export const createVerdicts = (rules: readonly StoredRule[]): RelationVerdicts => {
  const exact = new Map<string, StoredRule>();
  const prefixes: PrefixRule[] = [];
  for (const rule of rules) {
    const prefix = prefixOf(rule.key);
    if (prefix === null) exact.set(rule.key, rule);
    else prefixes.push({ prefix, rule });
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  const ruleOf = (key: string): StoredRule | undefined =>
    exact.get(key) ?? prefixes.find(({ prefix }) => key.startsWith(prefix))?.rule;
  const many = rules.some(({ values }) => values === 'many') ? filterOf([...exact.values()], prefixes) : undefined;
  return { ruleOf, holdsMany: (key) => ruleOf(key)?.values === 'many', many };
};

interface PrefixRule {
  readonly prefix: string;
  readonly rule: StoredRule;
}

export const NO_VERDICTS: RelationVerdicts = Object.freeze({
  ruleOf: () => undefined,
  holdsMany: () => false,
  many: undefined,
});

/** Returns the filter for relations whose longest pattern says `many`. Its size grows with the number of rules. */
const filterOf = (exact: readonly StoredRule[], prefixes: readonly PrefixRule[]): Filter => {
  const keysOf = (values: StoredRule['values']): string[] =>
    exact.filter((rule) => rule.values === values).map(({ key }) => key);
  const byPrefix = any(...flipsBelow('', 'one', prefixes));
  return any(isIn('relationKey', keysOf('many')), all(byPrefix, not(isIn('relationKey', keysOf('one')))));
};

/**
 * Returns filters for the relations below a prefix for which a longer prefix decides the opposite of `values`. Each
 * filter excludes the relations for which a still longer prefix reverses that decision again.
 */
const flipsBelow = (prefix: string, values: StoredRule['values'], within: readonly PrefixRule[]): Filter[] => {
  const below = within.filter((one) => one.prefix.startsWith(prefix));
  const flips = below.filter(({ rule }) => rule.values !== values);
  const outermost = flips.filter((one) => !flips.some((other) => isAbove(other, one)));
  return outermost.map((one) => {
    const back = flipsBelow(
      one.prefix,
      one.rule.values,
      below.filter((other) => isAbove(one, other)),
    );
    return all(startsWith('relationKey', one.prefix), not(any(...back)));
  });
};

const isAbove = (above: PrefixRule, below: PrefixRule): boolean =>
  above.prefix.length < below.prefix.length && below.prefix.startsWith(above.prefix);
