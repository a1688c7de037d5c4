import { compileSchema, objectSchema } from '../../kernel/internal-api.ts';
import { matchKey, ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';

/** Trust in sources, from 0 to 1. */
export interface SourceTrust {
  /** Returns the trust in a source, by its match key. */
  of(sourceKey: string): number;
  /** Trust in a source without a rule. */
  readonly unknown: number;
}

interface TrustRules {
  readonly default: number;
  readonly sources: Readonly<Record<string, number>>;
}

const TRUST = { type: 'number', minimum: 0, maximum: 1 } as const;
const UNKNOWN_SOURCE = 0.5;
const WILDCARD = '*';

const checkRules = compileSchema(
  objectSchema<TrustRules>({
    default: { ...TRUST, default: UNKNOWN_SOURCE },
    sources: { type: 'object', additionalProperties: TRUST, default: {} },
  }),
);

/**
 * Reads rules such as `{"default":0.5,"sources":{"agent:x":0.9,"svc://host/*":0.7}}`: for one source, or for all
 * sources with a prefix. The longest match decides. Throws `validation` with all errors, and `conflict` for two rules
 * about one source.
 */
export const readTrustRules = (json: unknown, names: ServiceNames): SourceTrust => {
  const rules = checkRules(json, 'rules');
  const exact = new Map<string, number>();
  const prefixes: { readonly prefix: string; readonly trust: number }[] = [];
  const spellings = new Map<string, string>();
  for (const [pattern, trust] of Object.entries(rules.sources)) {
    const key = matchKey(pattern, names);
    const known = spellings.get(key);
    if (known !== undefined) throw twoSpellings(known, pattern);
    spellings.set(key, pattern);
    if (key.endsWith(WILDCARD)) prefixes.push({ prefix: key.slice(0, -WILDCARD.length), trust });
    else exact.set(key, trust);
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  return {
    of: (key) => exact.get(key) ?? prefixes.find(({ prefix }) => key.startsWith(prefix))?.trust ?? rules.default,
    unknown: rules.default,
  };
};

const twoSpellings = (one: string, other: string): ServiceError =>
  new ServiceError('conflict', `two rules of trust are about one source: ${one} and ${other}`, {
    hint: 'remove one of them from SVC_TRUST_RULES_FILE: names are compared without case and by NFC',
  });
