import { compileSchema } from '../../kernel/internal-api.ts';
import { matchKey, type ServiceNames, schema } from '../../kernel/plugin-api.ts';

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
  schema<TrustRules>({
    type: 'object',
    additionalProperties: false,
    properties: {
      default: { ...TRUST, default: UNKNOWN_SOURCE },
      sources: { type: 'object', additionalProperties: TRUST, default: {} },
    },
  }),
);

/**
 * Reads rules such as `{"default":0.5,"sources":{"agent:x":0.9,"svc://host/*":0.7}}`: for one source, or for all
 * sources with a prefix. The longest match decides. Throws `validation` with all errors.
 */
export const readTrustRules = (json: unknown, names: ServiceNames): SourceTrust => {
  const rules = checkRules(json, 'rules');
  const exact = new Map<string, number>();
  const prefixes: { readonly prefix: string; readonly trust: number }[] = [];
  for (const [pattern, trust] of Object.entries(rules.sources)) {
    const key = matchKey(pattern, names);
    if (key.endsWith(WILDCARD)) prefixes.push({ prefix: key.slice(0, -WILDCARD.length), trust });
    else exact.set(key, trust);
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  return {
    of: (key) => exact.get(key) ?? prefixes.find(({ prefix }) => key.startsWith(prefix))?.trust ?? rules.default,
    unknown: rules.default,
  };
};
