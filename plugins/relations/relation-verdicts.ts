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
  const byPrefix = any(...overridesOf(prefixes).map(covered));
  return any(isIn('relationKey', keysOf('many')), all(byPrefix, not(isIn('relationKey', keysOf('one')))));
};

/** A prefix that decides the opposite of the next shorter one, with the longer ones that reverse it again. */
interface Override {
  readonly prefix: string;
  readonly values: StoredRule['values'];
  readonly below: Override[];
}

/**
 * Returns the prefixes that decide `many` where no shorter one does, each with those that reverse it. Reads each rule
 * once, because in this order a prefix directly precedes all longer ones.
 */
const overridesOf = (prefixes: readonly PrefixRule[]): readonly Override[] => {
  const whole: Override = { prefix: '', values: 'one', below: [] };
  const around = [whole];
  for (const { prefix, rule } of [...prefixes].sort(byPrefixText)) {
    while (!prefix.startsWith(innermost(around).prefix)) around.pop();
    const { values } = rule;
    const above = innermost(around);
    if (values === above.values) continue;
    const override = { prefix, values, below: [] };
    above.below.push(override);
    around.push(override);
  }
  return whole.below;
};

/** Every text begins with the prefix of the first, so the list never becomes empty. */
const innermost = (around: readonly Override[]): Override => around.at(-1) as Override;

const byPrefixText = (a: PrefixRule, b: PrefixRule): number =>
  Number(a.prefix > b.prefix) - Number(a.prefix < b.prefix);

/** Matches the relations about which this prefix decides, without those about which a longer one decides otherwise. */
const covered = ({ prefix, below }: Override): Filter =>
  all(startsWith('relationKey', prefix), not(any(...below.map(covered))));
