import type { DescribedNode, DescribedRoute } from '../../kernel/plugin-api.ts';
import { type JsonSchema, memberRows, tableHead, tableRow, typeWords } from './describe-schema.ts';

/** Pages with the rules behind the routes of a plugin. */
const RULES: Readonly<Record<string, string>> = {
  audit: 'audit-and-billing.md',
  billing: 'audit-and-billing.md',
  'capability-tokens': 'keys-and-tokens.md',
  cards: 'cards-and-graph.md',
  conflicts: 'conflicts.md',
  facts: 'facts.md',
  gardens: 'gardens.md',
  graph: 'cards-and-graph.md',
  instructions: 'instructions.md',
  keys: 'keys-and-tokens.md',
  recall: 'recall.md',
  subscriptions: 'subscriptions.md',
  tombstones: 'tombstones.md',
};

/** The HTTP API: a section for each plugin with routes, then the schemas that several routes share. */
export const describeRoutes = ({ plugins, routes, components }: DescribedNode): string[] => {
  const owners = plugins.filter(({ name }) => routes.some(({ plugin }) => plugin === name));
  return [
    ...owners
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap(({ name, summary }) => [
        `## ${name}`,
        '',
        `${summary}.${RULES[name] === undefined ? '' : ` [Rules](${RULES[name]}).`}`,
        '',
        ...routes.filter(({ plugin }) => plugin === name).flatMap(describeRoute),
      ]),
    ...(Object.keys(components).length === 0 ? [] : ['## Shared schemas', '']),
    ...Object.entries(components)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([name, schema]) => [`### ${name}`, '', ...describeBody(schema as JsonSchema)]),
  ];
};

const describeRoute = (route: DescribedRoute): string[] => {
  const { method, path, summary, access, params, query, body, item, bodyOptional, bodyLimit } = route;
  const inputs = [
    ...(params === undefined ? [] : parameterRows('path', params)),
    ...(query === undefined ? [] : parameterRows('query', query)),
    ...(body === undefined ? [] : parameterRows('body', body)),
    ...(item === undefined ? [] : parameterRows('each item', item)),
  ];
  const limits = [bodyOptional ? 'The body may be left out.' : '', LIMITS[bodyLimit] ?? ''];
  return [
    `### ${method} ${readablePath(path)}`,
    '',
    [`${summary}. Needs: ${access}.`, ...limits].filter(Boolean).join(' '),
    '',
    ...(inputs.length === 0 ? [] : [...tableHead('in', 'name', 'accepts', 'default'), ...inputs, '']),
    ...describeAnswers(route),
  ];
};

const LIMITS: Readonly<Record<string, string>> = { bulk: 'Takes 16 MiB.', small: 'Takes 64 KiB.' };

/** `:id` and `*entity_uri` as `{id}` and `{entity_uri}`. */
const readablePath = (path: string): string => path.replaceAll(/[:*](\w+)/g, '{$1}');

const parameterRows = (place: string, schema: JsonSchema): string[] => {
  const rows = memberRows(schema);
  if (rows.length === 0) return [tableRow(place, '', typeWords(schema), '')];
  return rows.map((row) => {
    const [, name = '', accepts = '', presence = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return `| ${place} | ${name} | ${accepts} | ${presence} |`;
  });
};

const describeAnswers = ({ answers }: DescribedRoute): string[] =>
  Object.entries(answers).flatMap(([status, { json, text }]) => {
    if (json !== undefined) return [`Returns **${status}**:`, '', ...describeBody(json)];
    return [`Returns **${status}**${text === undefined ? ' without a body' : `, ${text.join(' or ')}`}.`, ''];
  });

/** The members of an object, or what else the body is. */
const describeBody = (schema: JsonSchema): string[] => {
  const rows = memberRows(schema);
  if (rows.length === 0) return [`${typeWords(schema)}.`, ''];
  return [...tableHead('member', 'is', 'presence', ''), ...rows, ''].map((row) =>
    row.replaceAll('| required |', '| always |'),
  );
};
