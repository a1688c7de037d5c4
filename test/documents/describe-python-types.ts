import type { DescribedNode, DescribedRoute } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { componentName } from '../../kernel/vocabulary/components.ts';
import { membersOf } from '../../plugins/openapi/schema-members.ts';
import { keyOf } from './route-key.ts';

/** The path of the generated types of the Python client. */
export const PYTHON_TYPES = 'client/python/src/fact_memory/types.py';

const HEAD = `"""The objects in replies of a node.

Written by \`npm run docs\` from the schemas by which the node checks its replies. Changes by hand are lost.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired, TypeAlias
`;

/** The replies that the methods of the client return, by their names. */
const REPLIES: Readonly<Record<string, string>> = {
  BatchReply: 'POST /v1/facts/batch',
  Card: 'GET /v1/cards/{entity_uri}',
  EventPage: 'GET /v1/subscriptions/{id}/events',
  HistoryPage: 'GET /v1/history/{entity_uri}',
  Identity: 'GET /v1/me',
  Job: 'GET /v1/jobs/{id}',
  NeighborPage: 'GET /v1/graph/neighbors',
  Provenance: 'GET /v1/facts/{id}/provenance',
  RecallReply: 'POST /v1/recall',
  Resolution: 'POST /v1/conflicts/{id}/resolve',
};

/** Generates the module with a class for each shared schema, each named reply, and each object inside them. */
export const describePythonTypes = ({ routes, components }: DescribedNode): string => {
  const named = [...Object.entries(components), ...Object.entries(REPLIES).map(repliesOf(routes))];
  const module = new PythonModule(new Set(named.map(([name]) => name)));
  for (const [name, schema] of named.toSorted(([one], [other]) => (one < other ? -1 : 1))) module.declare(name, schema);
  return module.text;
};

const repliesOf =
  (routes: readonly DescribedRoute[]) =>
  ([name, key]: readonly [string, string]): [string, JsonSchema] => {
    const route = routes.find((each) => keyOf(each) === key);
    const json = Object.entries(route?.answers ?? {}).find(([status]) => status.startsWith('2'))?.[1].json;
    if (json === undefined) throw new Error(`no route ${key} replies with JSON`);
    return [name, json];
  };

type Member = readonly [name: string, type: string];

class PythonModule {
  readonly #declarations: string[] = [];
  /** The classes with a base class. They come last, because the base must exist when the module loads them. */
  readonly #extensions: string[] = [];
  readonly #names: Set<string>;
  /** The classes of inner objects, by the last word of their names and by their members. */
  readonly #inner = new Map<string, string>();

  constructor(names: ReadonlySet<string>) {
    this.#names = new Set(names);
  }

  get text(): string {
    return [HEAD, ...this.#declarations, ...this.#extensions].join('\n');
  }

  declare(name: string, schema: JsonSchema): void {
    if (isObject(schema)) this.#declareObject(name, schema);
    else this.#declarations.push(`\n${name}: TypeAlias = ${aliasOf(this.#spell(schema, name))}\n`);
  }

  /** Puts the classes of inner objects first, because an alias needs them when the module loads. */
  #declareObject(name: string, schema: JsonSchema, base = 'TypedDict'): void {
    this.#add(name, this.#membersOf(name, schema), base);
  }

  /** Returns the class of an inner object: an earlier one with the same last word and members, or else a new one. */
  #declareInner(name: string, schema: JsonSchema): string {
    const members = this.#membersOf(name, schema);
    const key = JSON.stringify([/[A-Z][a-z]*$/.exec(name)?.[0], ...members]);
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const free = this.#freeName(name);
    this.#inner.set(key, free);
    this.#add(free, members, 'TypedDict');
    return free;
  }

  #membersOf(name: string, schema: JsonSchema): Member[] {
    const required = new Set((schema['required'] ?? []) as readonly string[]);
    return Object.entries(membersOf(schema)).map(([member, json]) => {
      const type = this.#spell(json, `${name}${pascal(member)}`);
      return [member, required.has(member) ? type : `NotRequired[${type}]`];
    });
  }

  #add(name: string, lines: readonly Member[], base: string): void {
    const isClass = lines.every(([member]) => /^[a-z_]\w*$/i.test(member) && !KEYWORDS.has(member));
    const members = lines.map(([member, type]) =>
      isClass ? `    ${member}: ${type}` : `        "${member}": ${quoted(type)},`,
    );
    (base === 'TypedDict' ? this.#declarations : this.#extensions).push(
      isClass
        ? ['', `class ${name}(${base}):`, ...(members.length === 0 ? ['    pass'] : members), ''].join('\n')
        : ['', `${name} = TypedDict(`, `    "${name}",`, '    {', ...members, '    },', ')', ''].join('\n'),
    );
  }

  #spell(schema: JsonSchema, name: string): string {
    const { $ref: reference, anyOf, oneOf, allOf, enum: values, const: only } = schema;
    const shared = componentName(reference);
    if (shared !== undefined) return shared;
    const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
    if (choices !== undefined) return union(choices.map((choice) => this.#spell(choice, name)));
    if (only !== undefined) return literal([only]);
    if (Array.isArray(values)) return literal(values);
    if (allOf !== undefined) return this.#extend(allOf as readonly JsonSchema[], name);
    const types = [(schema['type'] ?? []) as string | readonly string[]].flat();
    return types.length === 0 ? 'Any' : union(types.map((type) => this.#spellOne(type, schema, name)));
  }

  #spellOne(type: string, schema: JsonSchema, name: string): string {
    if (type === 'array') return `list[${this.#spell((schema['items'] ?? {}) as JsonSchema, name)}]`;
    if (type !== 'object') return PRIMITIVES[type] ?? 'Any';
    if (Object.keys(membersOf(schema)).length === 0) return `dict[str, ${this.#others(schema, name)}]`;
    return this.#declareInner(name, schema);
  }

  /** Returns a class with the members of a shared schema and more. */
  #extend(parts: readonly JsonSchema[], name: string): string {
    const [base, ...others] = parts.map((part) => componentName(part['$ref']) ?? part);
    const [more] = others;
    if (typeof base !== 'string' || typeof more !== 'object' || others.length > 1) return 'dict[str, Any]';
    const free = this.#freeName(name);
    this.#declareObject(free, more, base);
    return free;
  }

  #others({ additionalProperties: others }: JsonSchema, name: string): string {
    return typeof others === 'object' && others !== null ? this.#spell(others as JsonSchema, name) : 'Any';
  }

  #freeName(name: string): string {
    for (let n = 1; ; n += 1) {
      const free = n === 1 ? name : `${name}${n}`;
      if (this.#names.has(free)) continue;
      this.#names.add(free);
      return free;
    }
  }
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};
const KEYWORDS: ReadonlySet<string> = new Set(['from', 'class', 'global', 'in', 'is', 'as', 'def', 'pass', 'None']);

/** Returns whether the members of an object have names that a class can list. */
const isObject = (schema: JsonSchema): boolean =>
  schema['type'] === 'object' && Object.keys(membersOf(schema)).length > 0;

const pascal = (member: string): string =>
  member
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const literal = (values: readonly unknown[]): string => {
  const others = values.filter((value) => value !== null);
  if (others.some((value) => typeof value === 'number')) return union(['float', ...nulls(values)]);
  const spelled = others.map((value) =>
    typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  );
  return union([...(spelled.length === 0 ? [] : [`Literal[${spelled.join(', ')}]`]), ...nulls(values)]);
};

const nulls = (values: readonly unknown[]): string[] => (values.includes(null) ? ['None'] : []);

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** An alias is evaluated when the module loads, where Python 3.10 takes no classes that come later. */
const aliasOf = (type: string): string => quoted(type);

const quoted = (type: string): string => `'${type}'`;
