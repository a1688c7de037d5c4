import { ServiceError, type Violation } from '../../ports/ports.ts';
import type { Schema } from '../plugins/config-schema.ts';
import { compileSchema } from '../plugins/schema-validator.ts';
import { decodeFormText } from './percent-decoding.ts';
import { type ConvertText, textConverter } from './text-converter.ts';

/**
 * Reads a query (`application/x-www-form-urlencoded`) into what its schema describes, or throws `validation` with
 * status 400. A parameter is single-valued unless its property is an array; giving it twice is an error. Names that the
 * schema does not list are ignored, `limit[]` among them, but their encoding must be sound. Without a schema only that
 * is checked, and the handler gets nothing.
 */
export const compileQueryReader = <Q>(schema: Schema<Q> | undefined): ((query: string) => Q | undefined) => {
  if (schema === undefined) {
    return (query) => {
      if (query !== '') readPairs(query);
      return undefined;
    };
  }
  const parameters = describeParameters(schema.json);
  const check = compileSchema(schema);
  return (query) => check(query === '' ? {} : convertPairs(readPairs(query), parameters), 'query', 400);
};

interface Parameter {
  readonly isList: boolean;
  readonly convert: ConvertText;
}

interface JsonProperty {
  readonly type?: string | readonly string[];
  readonly items?: JsonProperty;
}

const describeParameters = (json: Readonly<Record<string, unknown>>): ReadonlyMap<string, Parameter> => {
  const properties = (json['properties'] ?? {}) as Readonly<Record<string, JsonProperty>>;
  const parameters = new Map<string, Parameter>();
  for (const [name, property] of Object.entries(properties)) {
    const isList = typeOf(property) === 'array';
    const convert = textConverter(typeOf(isList ? property.items : property));
    parameters.set(name, { isList, convert });
  }
  return parameters;
};

/** A query has no null, so a type that may also be null is read as the other one. */
const typeOf = (property: JsonProperty | undefined): string | undefined =>
  [property?.type ?? []].flat().find((type) => type !== 'null');

type Pair = readonly [name: string, value: string];

const readPairs = (query: string): readonly Pair[] =>
  query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const split = piece.indexOf('=');
      const name = decodeFormText(split === -1 ? piece : piece.slice(0, split));
      const value = split === -1 ? '' : decodeFormText(piece.slice(split + 1));
      if (name === undefined) throw badQuery([{ path: 'query', message: `has a name that ${ENCODING}` }]);
      if (value === undefined) throw badQuery([{ path: `query.${name.slice(0, 64)}`, message: ENCODING }]);
      return [name, value];
    });

const ENCODING = 'is not valid percent-encoded UTF-8 text';

const convertPairs = (
  pairs: readonly Pair[],
  parameters: ReadonlyMap<string, Parameter>,
): Readonly<Record<string, unknown>> => {
  const values: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, text] of pairs) {
    const parameter = parameters.get(name);
    if (parameter === undefined) continue;
    const converted = parameter.convert(text);
    if ('problem' in converted) violations.push({ path: `query.${name}`, message: converted.problem });
    else if (parameter.isList) listOf(values, name).push(converted.value);
    else if (Object.hasOwn(values, name)) violations.push({ path: `query.${name}`, message: 'must be given once' });
    else values[name] = converted.value;
  }
  if (violations.length > 0) throw badQuery(violations);
  return values;
};

const listOf = (values: Record<string, unknown>, name: string): unknown[] => {
  values[name] ??= [];
  return values[name] as unknown[];
};

const badQuery = (violations: readonly Violation[]): ServiceError =>
  new ServiceError('bad_parameter', `${violations[0]?.path} ${violations[0]?.message}`, {
    violations: violations.slice(0, MAX_QUERY_VIOLATIONS),
  });

const MAX_QUERY_VIOLATIONS = 20;
