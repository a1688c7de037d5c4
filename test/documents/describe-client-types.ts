import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DescribedNode, DescribedRoute } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { referencesIn } from '../../kernel/vocabulary/components.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { keyOf } from './route-key.ts';
import { nameShapes } from './shared-shapes.ts';
import { docLines, type Side, spellMembers, spellType } from './spell-type.ts';

/** The path of the generated client types. */
export const CLIENT_TYPES = 'client/api-types.ts';

const HEAD = `/**
 * The routes of a node as types, written by \`npm run docs\` from the schemas by which the node checks requests and
 * replies. Changes by hand are lost.
 */
import type { EventMessage } from './event-message.ts';

type Maybe<T> = T | undefined;
`;

const SHAPE = 'Each route by its method and path; `answers` are its bodies by status. A plugin can add its own routes.';

/** Generates the module with an interface for each shared schema and one entry for each route, formatted. */
export const describeClientTypes = (node: DescribedNode): string => {
  const { routes, components, words } = node;
  const summaries = new Map(words.map(({ word }) => [`${word.vocabulary} ${word.id}`, word.summary]));
  const sent = sentComponents(routes, components);
  const shared = Object.entries(components)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, json]) =>
      [
        ...docLines(summaries.get(`schema ${name}`)),
        declaration(name, json, sent.has(name) ? 'body' : 'answer', components),
        '',
      ].join('\n'),
    );
  // The client sends JSON, and forms are for browsers and OAuth clients.
  const listed = routes.filter(({ bodyForm }) => bodyForm !== 'form');
  const api = listed.flatMap((route) => [...docLines(noteOf(route)), `'${keyOf(route)}': ${shapeOf(route)};`]);
  const source = [...shared, ...docLines(SHAPE), 'export interface Api {', ...api, '}', ''].join('\n');
  return format([HEAD, nameShapes(source, node)].join('\n'));
};

const noteOf = ({ summary, access }: DescribedRoute): string => `${summary}. Needs: ${access}.`;

const declaration = (name: string, json: JsonSchema, side: Side, components: DescribedNode['components']): string => {
  const whole = wholeOf(json, components);
  if (whole !== undefined) return `export type ${name} = Partial<${whole}>;`;
  return json['type'] === 'object'
    ? `export interface ${name} ${spellType(json, side)}`
    : `export type ${name} = ${spellType(json, side)};`;
};

/** Returns the name of the schema that has the same members, where `json` requires no member and that one does. */
const wholeOf = ({ properties, required }: JsonSchema, components: DescribedNode['components']): string | undefined => {
  if (properties === undefined || countOf(required) > 0) return undefined;
  const isWhole = (other: JsonSchema) =>
    countOf(other['required']) > 0 && isDeepStrictEqual(other['properties'], properties);
  return Object.keys(components).find((name) => isWhole(components[name] ?? {}));
};

const countOf = (names: unknown): number => (Array.isArray(names) ? names.length : 0);

/** Returns the names of the schemas that request bodies refer to, directly or through other schemas. */
const sentComponents = (routes: readonly DescribedRoute[], components: DescribedNode['components']): Set<string> => {
  const sent = new Set<string>();
  const gather = (json: unknown): void => {
    for (const name of referencesIn(json)) {
      if (sent.has(name)) continue;
      sent.add(name);
      gather(components[name]);
    }
  };
  for (const { body, item } of routes) gather([body, item]);
  return sent;
};

const shapeOf = (route: DescribedRoute): string => {
  const names = [...route.path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);
  const params = names.length === 0 ? [] : [`params: { ${names.map((name) => `${name}: string;`).join(' ')} };`];
  return ['{', ...params, ...queryOf(route), ...bodyOf(route), `answers: { ${answersOf(route)} };`, '}'].join('\n');
};

const queryOf = ({ query }: DescribedRoute): string[] => {
  if (query === undefined || Object.keys((query['properties'] ?? {}) as object).length === 0) return [];
  const type = spellType(query, 'query');
  return [spellMembers(query, 'query').needed ? `query: ${type};` : `query?: Maybe<${type}>;`];
};

const bodyOf = ({ bodyForm, body, item, bodyOptional }: DescribedRoute): string[] => {
  if (bodyForm === 'none') return [];
  if (bodyForm === 'items') {
    const each = item === undefined ? 'unknown' : spellType(item, 'body');
    return [...docLines('A list, or lines of JSON as one text.'), `body: readonly (${each})[] | string;`];
  }
  const type = spellType(body ?? {}, 'body');
  return [bodyOptional ? `body?: Maybe<${type}>;` : `body: ${type};`];
};

const answersOf = ({ answers }: DescribedRoute): string =>
  Object.entries(answers)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { json, text }]) => `${status}: ${json === undefined ? textType(text) : spellType(json, 'answer')};`)
    .join('\n');

const textType = (text: readonly string[] | undefined): string => {
  if (text === undefined) return 'undefined';
  return text.includes('text/event-stream') ? 'AsyncIterable<EventMessage>' : 'string';
};

/** Formats the source as `npm run format` does. */
const format = (source: string): string =>
  execFileSync(
    process.execPath,
    [join(projectRoot(), 'node_modules/@biomejs/biome/bin/biome'), 'format', `--stdin-file-path=${CLIENT_TYPES}`],
    { cwd: projectRoot(), input: source, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
