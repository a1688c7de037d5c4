import { foldName, refuseGarden } from '../../kernel/internal-api.ts';
import {
  type GardenAccess,
  matchKey,
  memberRefusal,
  type NodeSelf,
  type PluginTables,
  type Principal,
  readEntityUri,
  SCOPES,
  type Scope,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { slugOf } from './access-check.ts';
import { entityTarget, gardenTarget, scopeTarget, type Target, type TargetType } from './subscription-record.ts';

export interface TargetParts {
  readonly self: NodeSelf;
  readonly tables: PluginTables;
  readonly gardens: GardenAccess | undefined;
}

const PATH = 'body.target';

/**
 * Reads the target of a request. Throws `validation` for a malformed target, and `authorization` for a scope or garden
 * that the caller may not read; an admin gets `lookup` for the garden.
 */
export const readTarget = async (
  text: string,
  type: TargetType | undefined,
  caller: Principal,
  parts: TargetParts,
): Promise<Target> => {
  const { type: meant, name } = typeOf(text.trim(), type, parts.self);
  if (meant === 'scope') return scopeOf(name, caller);
  const uri = readEntityUri(name, PATH);
  return meant === 'garden' ? gardenOf(uri, caller, parts) : entityOf(uri, parts.self);
};

const PREFIXES: readonly (readonly [prefix: string, type: TargetType])[] = [
  ['entity:', 'entity'],
  ['scope:', 'scope'],
];

const typeOf = (
  text: string,
  given: TargetType | undefined,
  { names }: NodeSelf,
): { readonly type: TargetType; readonly name: string } => {
  const [prefix, prefixed] = PREFIXES.find(([start, type]) => text.startsWith(start) && (given ?? type) === type) ?? [];
  if (prefix !== undefined && prefixed !== undefined) return { type: prefixed, name: text.slice(prefix.length) };
  if (given !== undefined) return { type: given, name: text };
  if (isScope(text)) return { type: 'scope', name: text };
  const isGarden = foldName(text).startsWith(names.scheme) && GARDEN_PATH.test(text.slice(names.scheme.length));
  return { type: isGarden ? 'garden' : 'entity', name: text };
};

const GARDEN_PATH = /^[^/]+\/garden\/[^/]+$/i;

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

const scopeOf = (name: string, caller: Principal): Target => {
  if (!isScope(name)) throw memberRefusal(PATH, 'is not the name of a scope');
  if (!caller.allowedScopes.has(name)) {
    throw new ServiceError('authorization', `the key may not read scope ${name}`);
  }
  return {
    type: 'scope',
    name,
    key: scopeTarget(name),
    need: { verb: 'subscribe', target: { kind: 'scope', scope: name } },
  };
};

const entityOf = (uri: string, { names }: NodeSelf): Target => ({
  type: 'entity',
  name: uri,
  key: entityTarget(matchKey(uri, names)),
  need: { verb: 'subscribe', target: { kind: 'entity', uri } },
});

/** Resolves a garden. A garden named by its id does not reveal its slug, so a token must name the id, or everything. */
const gardenOf = async (name: string, caller: Principal, { self, tables, gardens }: TargetParts): Promise<Target> => {
  const garden = await tables.read(async (_, snapshot) => gardens?.enter(name, caller, snapshot));
  if (garden === undefined) throw refuseGarden(caller);
  const slug = foldName(slugOf(name));
  const uri = slug === garden.id ? garden.id : self.names.gardenUri(self.authority, slug);
  return {
    type: 'garden',
    name: uri,
    key: gardenTarget(garden.id),
    need: { verb: 'subscribe', target: { kind: 'garden', id: garden.id, uri, slug } },
  };
};
