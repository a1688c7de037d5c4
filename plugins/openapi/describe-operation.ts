import { STATUS_CODES } from 'node:http';
import type { Answers, DescribedRoute, RouteExample } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import type { ApiAnswer, ApiBody, ApiOperation, ApiParameter, MediaTypes, Reference } from './api-document.ts';
import { membersOf } from './schema-members.ts';
import { securityOf } from './security-schemes.ts';
import { closedSchema } from './shown-schema.ts';

/** Describes one route. `path` is its path in the document, which determines the names of path parameters. */
export const describeOperation = (route: DescribedRoute, operationId: string, path: string): ApiOperation => {
  const { plugin, summary, access, permissions, dimension } = route;
  const parameters = parametersOf(route, path);
  const body = bodyOf(route);
  const notes = [needs(access), BODY_LIMITS[route.bodyLimit] ?? ''].filter((note) => note !== '');
  return {
    operationId,
    tags: [plugin],
    summary,
    description: notes.join(' '),
    ...(permissions.length > 0 && { 'x-permissions': permissions }),
    ...(dimension !== undefined && { 'x-dimension': dimension }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: { ...answersOf(route.answers), default: PROBLEM },
  };
};

const PROBLEM: Reference = { $ref: '#/components/responses/Problem' };

const needs = (access: string): string => {
  if (access === 'open') return 'Needs no credential.';
  if (access === 'peer') return 'Needs the token of a peer.';
  return access === 'any key' ? 'Needs any key.' : `Needs a key with the permission ${access}.`;
};

const BODY_LIMITS: Readonly<Record<string, string>> = {
  bulk: 'Takes a body of up to 16 MiB.',
  small: 'Takes a body of up to 64 KiB.',
};

const parametersOf = (route: DescribedRoute, path: string): ApiParameter[] => [
  ...pathParameters(route, path),
  ...queryParameters(route),
  ...headerParameters(route),
];

const pathParameters = ({ path: own, params, example }: DescribedRoute, path: string): ApiParameter[] => {
  const shown = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [...own.matchAll(/([:*])(\w+)/g)].map(([, mark, name = ''], at): ApiParameter => {
    const schema = membersOf(params ?? {})[name] ?? TEXT;
    const notes = [schema['description'], mark === '*' ? 'May hold slashes.' : undefined].filter(Boolean);
    return {
      name: shown[at] ?? name,
      in: 'path',
      required: true,
      ...(notes.length > 0 && { description: notes.join(' ') }),
      schema: bare(schema),
      ...exampleOf(example?.params, name),
    };
  });
};

const queryParameters = ({ query = {}, example }: DescribedRoute): ApiParameter[] => {
  const required = new Set((query['required'] ?? []) as readonly string[]);
  return Object.entries(membersOf(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.has(name) && { required: true }),
    ...(typeof schema['description'] === 'string' && { description: schema['description'] }),
    schema: bare(schema),
    ...exampleOf(example?.query, name),
  }));
};

const headerParameters = ({ headers, example }: DescribedRoute): ApiParameter[] =>
  Object.entries(headers)
    .filter(([, { isCredential }]) => isCredential !== true)
    .map(([name, { summary, json = TEXT }]) => ({
      name,
      in: 'header',
      description: `${summary}.`,
      schema: json,
      ...exampleOf(example?.headers, name),
    }));

const TEXT: JsonSchema = { type: 'string' };

/** Removes the description, which the document shows at the parameter. */
const bare = ({ description, ...schema }: JsonSchema): JsonSchema => schema;

const exampleOf = (
  values: Readonly<Record<string, unknown>> | undefined,
  name: string,
): { readonly example?: unknown } =>
  values !== undefined && Object.hasOwn(values, name) ? { example: values[name] } : {};

const bodyOf = ({ bodyForm, body, item, bodyOptional, example }: DescribedRoute): ApiBody | undefined => {
  if (bodyForm === 'items') return { required: true, content: itemTypes(item ?? {}, example) };
  if (body === undefined) return undefined;
  const type = bodyForm === 'form' ? FORM_TYPE : 'application/json';
  return {
    required: !bodyOptional,
    content: { [type]: { schema: closedSchema(body), ...shown(example) } },
  };
};

const shown = (example: RouteExample | undefined): { readonly example?: unknown } =>
  example?.body === undefined ? {} : { example: example.body };

/** The media type of a form of a page. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A body of items is an array, or has one item on each line. */
const itemTypes = (item: JsonSchema, example: RouteExample | undefined): MediaTypes => {
  const isLines = typeof example?.body === 'string';
  return {
    'application/json': { schema: { type: 'array', items: closedSchema(item) }, ...(!isLines && shown(example)) },
    'application/x-ndjson': {
      schema: { type: 'string', description: 'One item of the list on each line.' },
      ...(isLines && shown(example)),
    },
  };
};

const answersOf = (answers: Answers): Record<string, ApiAnswer> =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { json, part, text = [], headers = {} }]) => {
      const types: [string, MediaTypes[string]][] = [
        ...(json === undefined
          ? []
          : [['application/json', { schema: eitherOf(json, part) }] as [string, MediaTypes[string]]]),
        ...text.map((type): [string, MediaTypes[string]] => [type, { schema: TEXT }]),
      ];
      const named = Object.entries(headers).map(([name, summary]) => [
        name,
        { description: `${summary}.`, schema: TEXT },
      ]);
      const answer: ApiAnswer = {
        description: STATUS_CODES[status] ?? status,
        ...(named.length > 0 && { headers: Object.fromEntries(named) }),
        ...(types.length > 0 && { content: Object.fromEntries(types) }),
      };
      return [status, answer];
    }),
  );

const eitherOf = (json: JsonSchema, part: JsonSchema | undefined): JsonSchema =>
  part === undefined ? json : { anyOf: [json, part] };
