import type { DescribedNode } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { componentName } from '../../kernel/vocabulary/components.ts';
import { membersOf } from '../../plugins/openapi/schema-members.ts';
import { keyOf } from './route-key.ts';
import { type Side, spellType } from './spell-type.ts';

/**
 * Names in `client/api-types.ts` for shapes that several routes share although no shared schema describes them. Each
 * name has a route that replies with such a value, and the members that lead to it. Larger shapes come first.
 */
const REPLIED: Readonly<Record<string, readonly [route: string, ...members: string[]]>> = {
  Job: ['GET /v1/jobs/{id}'],
  StartedJob: ['POST /v1/upkeep/{task}/run'],
  WhyNot: ['POST /v1/recall', 'why_not'],
  LedgerProof: ['POST /v1/recall', 'chain_proof'],
  OmittedFacts: ['POST /v1/recall', 'omitted'],
  FoundBy: ['POST /v1/recall', 'why_not', 'found_by'],
  AuthorizationServer: ['GET /.well-known/oauth-authorization-server'],
  OpenApiDocument: ['GET /openapi.json'],
  Tombstone: ['GET /v1/tombstones', 'tombstones'],
  Revocation: ['GET /v1/tombstones', 'revocations'],
  RelationRule: ['GET /v1/relations', 'rules'],
  NewApiKey: ['POST /v1/auth/keys'],
  AgentKey: ['POST /v1/auth/agent-keys'],
  SummarizedValue: ['GET /v1/synthesis', 'facts', 'value'],
  Scope: ['GET /v1/facts', 'facts', 'scope'],
};

/** Queries that several routes share. */
const QUERIES: Readonly<Record<string, string>> = {
  AuthorizationQuery: 'GET /oauth/authorize',
  AuditQuery: 'GET /v1/auth/audit',
};

/** Puts a name in the place of each shared shape of `source`, and declares those names at its end. */
export const nameShapes = (source: string, node: DescribedNode): string => {
  const shapes = shapesOf(node);
  const named = (text: string, own?: string): string =>
    shapes.reduce((left, [name, shape]) => (name === own ? left : left.replaceAll(shape, name)), text);
  const unused = shapes.filter(([, shape]) => !source.includes(shape));
  if (unused.length > 0) throw new Error(`no type holds ${unused.map(([name]) => name).join(', ')}`);
  return [named(source), ...shapes.map(([name, shape]) => `type ${name} = ${named(shape, name)};\n`)].join('\n');
};

const shapesOf = ({ routes, components }: DescribedNode): [name: string, text: string][] => {
  const routeOf = (key: string) => {
    const route = routes.find((each) => keyOf(each) === key);
    if (route === undefined) throw new Error(`there is no route ${key}`);
    return route;
  };
  const resolved = (json: JsonSchema): JsonSchema => components[componentName(json['$ref']) ?? ''] ?? json;
  const replied = ([key, ...members]: readonly [string, ...string[]]): JsonSchema => {
    const [, answer] = Object.entries(routeOf(key).answers).find(([status]) => status.startsWith('2')) ?? [];
    return members.reduce((json, name) => {
      const member = membersOf(resolved(json))[name] ?? {};
      return (member['items'] as JsonSchema | undefined) ?? member;
    }, answer?.json ?? {});
  };
  const spell = (json: JsonSchema, side: Side): string => spellType(resolved(json), side).replace(/ \| null$/, '');
  return [
    ...Object.entries(REPLIED).map(([name, place]): [string, string] => [name, spell(replied(place), 'answer')]),
    ...Object.entries(QUERIES).map(([name, key]): [string, string] => [name, spell(routeOf(key).query ?? {}, 'query')]),
  ];
};
