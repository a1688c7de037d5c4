import type { JsonSchema } from '../../kernel/plugin-api.ts';
import type { ApiAnswer, ApiBody, ApiDocument, ApiOperation } from '../../plugins/openapi/api-document.ts';
import { curlExample } from '../../plugins/openapi/curl-example.ts';
import { operationsOf, type PlacedOperation } from '../../plugins/openapi/operation-list.ts';
import { memberRows, type Piece, typeWords } from '../../plugins/openapi/schema-words.ts';
import { tableHead, tableRow } from './markdown-table.ts';

/** For each plugin, the page that explains the rules of its routes. */
const RULES: Readonly<Record<string, string>> = {
  audit: 'audit-and-billing.md',
  billing: 'audit-and-billing.md',
  'capability-tokens': 'keys-and-tokens.md',
  cards: 'cards-and-graph.md',
  conflicts: 'conflicts.md',
  decay: 'checks-and-jobs.md',
  facts: 'facts.md',
  federation: 'federation.md',
  gardens: 'gardens.md',
  graph: 'cards-and-graph.md',
  instructions: 'instructions.md',
  jobs: 'checks-and-jobs.md',
  keys: 'keys-and-tokens.md',
  lint: 'checks-and-jobs.md',
  'multi-tenant': 'tenants.md',
  namespaces: 'namespaces.md',
  oauth: 'oauth.md',
  'rate-limits': 'limits.md',
  recall: 'recall.md',
  relations: 'relations.md',
  subscriptions: 'subscriptions.md',
  synthesis: 'checks-and-jobs.md',
  tombstones: 'tombstones.md',
};

/** Describes the HTTP API: a section for each plugin with routes, then the shared schemas. */
export const describeRoutes = (document: ApiDocument): string[] => [
  ...document.tags.flatMap(({ name, description }) => [
    `## ${name}`,
    '',
    `${description}.${RULES[name] === undefined ? '' : ` [Rules](${RULES[name]}).`}`,
    '',
    ...operationsOf(document, name).flatMap((placed) => describeOperation(document, placed)),
  ]),
  '## Shared schemas',
  '',
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    `### ${name}`,
    '',
    ...describeBody(schema),
  ]),
];

const describeOperation = (document: ApiDocument, { method, path, operation }: PlacedOperation): string[] => {
  const inputs = [...parameterRows(operation), ...bodyRows(operation.requestBody)];
  return [
    `### ${method} ${path}`,
    '',
    `\`${operation.operationId}\`: ${operation.summary}. ${operation.description ?? ''}`.trim(),
    '',
    ...(inputs.length === 0 ? [] : [...tableHead('in', 'name', 'accepts', 'default', ''), ...inputs, '']),
    ...describeAnswers(operation),
    '```shell',
    curlExample(document, method.toLowerCase(), path, operation),
    '```',
    '',
  ];
};

const parameterRows = ({ parameters = [] }: ApiOperation): string[] =>
  parameters.map(({ in: place, name, required = false, schema, description = '' }) =>
    tableRow(place, `\`${name}\``, wordsOf(typeWords(schema)), presence(schema['default'], required), description),
  );

const bodyRows = (body: ApiBody | undefined): string[] => {
  const schema = Object.values(body?.content ?? {})[0]?.schema;
  if (body === undefined || schema === undefined) return [];
  const [place, shown] = schema['type'] === 'array' ? ['each item', schema['items'] as JsonSchema] : ['body', schema];
  const rows = memberRows(shown);
  if (rows.length === 0) return [tableRow(place, '', wordsOf(typeWords(shown)), body.required ? 'required' : '', '')];
  return rows.map(({ name, words, isRequired, fallback, description }) =>
    tableRow(place, `\`${name}\``, wordsOf(words), presence(fallback, isRequired), description),
  );
};

const presence = (fallback: unknown, isRequired: boolean): string => {
  if (fallback !== undefined) return JSON.stringify(fallback);
  return isRequired ? 'required' : 'optional';
};

const describeAnswers = ({ responses }: ApiOperation): string[] =>
  Object.entries(responses).flatMap(([status, answer]) => {
    if ('$ref' in answer) return [];
    const { content = {}, headers = {} } = answer as ApiAnswer;
    const { 'application/json': json, ...others } = content;
    const added = Object.entries(headers).map(([name, { description }]) => `\`${name}\`: ${description}`);
    const types = Object.keys(others);
    const what = json === undefined && types.length === 0 ? ' without a body' : '';
    const head = `Returns **${status}**${types.length === 0 ? what : `, ${types.join(' or ')}`}`;
    const said = [`${head}${json === undefined ? '.' : ':'}`, ...added].join(' ');
    return [said, '', ...(json === undefined ? [] : describeBody(json.schema))];
  });

/** Describes the members of an object, or another kind of body. */
const describeBody = (schema: JsonSchema): string[] => {
  const rows = memberRows(schema);
  const whole = [`${wordsOf(typeWords(schema))}.`, ''];
  if (rows.length === 0) return whole;
  return [
    ...('allOf' in schema ? whole : []),
    ...tableHead('member', 'is', 'presence', ''),
    ...rows.map(({ name, words, isRequired, description }) =>
      tableRow(`\`${name}\``, wordsOf(words), isRequired ? 'always' : 'optional', description),
    ),
    '',
  ];
};

const wordsOf = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      return 'code' in piece ? `\`${piece.code}\`` : `[${piece.schema}](#${piece.schema.toLowerCase()})`;
    })
    .join('');
