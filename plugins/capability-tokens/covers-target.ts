import { matchKey, SCOPES, type Scope, type ServiceNames, wholeMatchKey } from '../../kernel/plugin-api.ts';
import type { CapabilityTarget } from './capability-tokens-api.ts';

/**
 * Whether a token's object covers a target: it names the target, an entity above it by whole path segments, or
 * everything. Names are compared as entities are everywhere, by their match key. A garden is never covered by what
 * merely lies above its URI: the issuer of a token for part of a path is not asked about the gardens under it.
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

/** The scopes that an object spans by itself: all for everything, one for a scope, none for anything else. */
export const scopesOfObject = (object: string, names: ServiceNames): readonly Scope[] => {
  const key = matchKey(object, names);
  if (key === everything(names)) return SCOPES;
  return SCOPES.filter((scope) => scopeForms(scope, names).includes(key));
};

/** True for an object of the form of a scope that names none of them. */
export const namesUnknownScope = (object: string, names: ServiceNames): boolean =>
  matchKey(object, names).startsWith(`${everything(names)}/scope:`) && scopesOfObject(object, names).length === 0;

const everything = (names: ServiceNames): string => `${names.scheme}facts`;

const scopeForms = (scope: Scope, names: ServiceNames): readonly string[] => [
  `${everything(names)}/scope:${scope}`,
  `scope:${scope}`,
  scope,
];

/** An object that ends where a segment has yet to begin (`svc:`, `svc://`, `a/`) is no prefix of anything. */
const isAtOrAbove = (key: string, entityKey: string): boolean =>
  key === entityKey || (!/[:/]$/.test(key) && entityKey.startsWith(`${key}/`));
