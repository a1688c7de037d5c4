import type { DescribedNode, DescribedRoute } from '../../kernel/internal-api.ts';
import { ErrorCodes, type ErrorWord, type ServiceNames } from '../../kernel/plugin-api.ts';
import type { ApiAnswer, ApiDocument, ApiOperation, ApiTag, SecurityScheme } from './api-document.ts';
import { describeOperation } from './describe-operation.ts';
import { operationIdsOf } from './operation-id.ts';
import { KEY, PEER_TOKEN, schemeOfHeader } from './security-schemes.ts';

export interface DocumentParts {
  readonly described: Pick<DescribedNode, 'plugins' | 'routes' | 'words' | 'components'>;
  /** The name of the memory for people. */
  readonly displayName: string;
  readonly names: ServiceNames;
  readonly nodeUrl: string;
  /** The version of the program. */
  readonly version: string;
}

/**
 * Describes the API of a node from its registered routes. All callers of a node get the same document, because it
 * contains no stored data, and of the settings only names and the address.
 */
export const createDocument = ({ described, displayName, names, nodeUrl, version }: DocumentParts): ApiDocument => {
  const { plugins, routes, words, components } = described;
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: `${displayName} (${names.name})`, version, description: INTRODUCTION },
    servers: [{ url: nodeUrl }],
    tags: plugins
      .filter(({ name }) => routes.some(({ plugin }) => plugin === name))
      .map(({ name, summary }): ApiTag => ({ name, description: summary }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    paths: pathsOf(routes),
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([one], [other]) => (one < other ? -1 : 1))),
      responses: { Problem: problemAnswer(words.map(({ word }) => word)) },
      securitySchemes: schemesOf(routes),
    },
  };
};

const INTRODUCTION = `Typed, traceable, immutable facts for agents and people.

Bodies are JSON in UTF-8. A member or parameter that is not listed here is refused by its name. In a request \`null\`
for an optional member means that it is absent. Every answer carries \`X-Request-Id\`. Every status from 400 up comes
with a problem document (RFC 9457), whose \`code\` is for programs and whose \`detail\` is for people. A path parameter
that is marked as taking slashes may be sent raw or percent-encoded.`;

/**
 * Operations by path. Routes whose paths differ only in parameter names share a path, as the format requires, with the
 * names of the first route.
 */
const pathsOf = (routes: readonly DescribedRoute[]): ApiDocument['paths'] => {
  const ids = operationIdsOf(routes);
  const spelled = new Map<string, string>();
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const [at, route] of routes.entries()) {
    const form = route.path.replaceAll(PARAMETER, '{}');
    const path = spelled.get(form) ?? route.path.replaceAll(PARAMETER, '{$1}');
    spelled.set(form, path);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describeOperation(route, ids[at] ?? '', path);
  }
  return paths;
};

const PARAMETER = /[:*](\w+)/g;

const schemesOf = (routes: readonly DescribedRoute[]): Readonly<Record<string, SecurityScheme>> => {
  const headers = new Set(
    routes.flatMap((route) =>
      Object.entries(route.headers).flatMap(([name, { isCredential }]) => (isCredential === true ? [name] : [])),
    ),
  );
  return {
    ...KEY,
    ...(routes.some(({ access }) => access === 'peer') && PEER_TOKEN),
    ...Object.assign({}, ...[...headers].sort().map(schemeOfHeader)),
  };
};

const problemAnswer = (words: readonly { readonly vocabulary: string }[]): ApiAnswer => ({
  description: 'Why the request failed. `code` is one of the error codes that this node knows.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  'x-error-codes': words
    .filter((word): word is ErrorWord => word.vocabulary === ErrorCodes.vocabulary)
    .map(({ id, status, summary }) => ({ code: id, status, summary }))
    .sort((one, other) => one.status - other.status || (one.code < other.code ? -1 : 1)),
});
