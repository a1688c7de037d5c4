import { wholeMatchKey } from '../../kernel/internal-api.ts';
import { matchKey, SCOPES, type Scope, type ServiceNames } from '../../kernel/plugin-api.ts';
import type { CapabilityTarget } from './capability-tokens-api.ts';

/**
 * Returns true if a token's object covers a target: it names the target, an entity above it by whole path segments, or
 * everything. Names are compared by match key, as entities are. A token for a path never covers gardens below it,
 * because issuing it did not check the issuer's rights in them.
 */
export const coversTarget = (object: string, target: CapabilityTarget, names: ServiceNames): boolean => {
  const key = wholeMatchKey(object, names);
  const is = (name: string): boolean => key === wholeMatchKey(name, names);
  if (is(everything(names))) return true;
  switch (target.kind) {
    case 'entity':
      return isAtOrAbove(key, wholeMatchKey(target.uri, names));
    case 'scope':
      return scopeForms(target.scope, names).some(is);
    case 'garden':
      return [target.id, target.uri, `${names.scheme}garden/${target.slug}`].some(is);
  }
};

/** Returns the scopes that an object covers as a whole: all for everything, one for a scope, none otherwise. */
export const scopesOfObject = (object: string, names: ServiceNames): readonly Scope[] => {
  const key = matchKey(object, names);
  if (key === everything(names)) return SCOPES;
  return SCOPES.filter((scope) => scopeForms(scope, names).includes(key));
};

/** Returns true for an object in the form of a scope that names no known scope. */
export const namesUnknownScope = (object: string, names: ServiceNames): boolean =>
  matchKey(object, names).startsWith(`${everything(names)}/scope:`) && scopesOfObject(object, names).length === 0;

const everything = (names: ServiceNames): string => `${names.scheme}facts`;

const scopeForms = (scope: Scope, names: ServiceNames): readonly string[] => [
  `${everything(names)}/scope:${scope}`,
  `scope:${scope}`,
  scope,
];

/**
 * Returns true if a key is an entity or lies above it. An object that ends before a new segment (`svc:`, `svc://`,
 * `a/`) is not a prefix.
 */
const isAtOrAbove = (key: string, entityKey: string): boolean =>
  key === entityKey || (!/[:/]$/.test(key) && entityKey.startsWith(`${key}/`));
