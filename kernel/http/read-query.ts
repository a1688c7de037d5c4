import { ServiceError, type Violation } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import { MAX_VIOLATIONS, refuseAll } from '../problems/refusals.ts';
import { undeclaredName } from '../schemas/declared-members.ts';
import { compileSchema, type SchemaCheck } from '../schemas/schema-validator.ts';
import { memberPath } from '../text/find-forbidden-text.ts';
import { decodeFormText, UNDECODABLE } from './percent-decoding.ts';
import { type ConvertText, textConverter } from './text-converter.ts';

/**
 * Reads a query (`application/x-www-form-urlencoded`) by its schema, or throws `validation` with status 400 and all
 * violations at once. A parameter is single-valued unless its property is an array; giving it twice is an error. With
 * `others: 'refused'` an undeclared name is an error too, `limit[]` among them; with `'ignored'` only its encoding must
 * be valid. Without a schema there are no parameters, and the handler gets nothing. `place` names the text in errors.
 */
export const compileQueryReader = <Q>(
  schema: Schema<Q> | undefined,
  { others, place = 'query' }: { readonly others: 'refused' | 'ignored'; readonly place?: 'query' | 'body' },
): ((query: string) => Q | undefined) => {
  const parameters = describeParameters(schema?.json ?? {});
  const check = schema === undefined ? undefined : compileSchema(schema);
  return (query) => {
    if (query === '') return check?.({}, place, 400);
    const { values, violations } = convertPairs(readPairs(query, place), parameters, {
      isClosed: others === 'refused',
      place,
    });
    if (violations.length === 0) return check?.(values, place, 400);
    throw refuseAll([...violations, ...violationsOf(values, check, place)], { status: 400 });
  };
};

/** Returns how the values violate the schema. They lack the parameters that could not be read. */
const violationsOf = (
  values: Record<string, unknown>,
  check: SchemaCheck<unknown> | undefined,
  place: string,
): readonly Violation[] => {
  try {
    check?.(values, place, 400);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.violations ?? [];
    throw error;
  }
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

/** Returns the type of a property without null, because a query cannot contain null. */
const typeOf = (property: JsonProperty | undefined): string | undefined =>
  [property?.type ?? []].flat().find((type) => type !== 'null');

type Pair = readonly [name: string, value: string];

const readPairs = (query: string, place: string): readonly Pair[] =>
  query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const split = piece.indexOf('=');
      const name = decodeFormText(split === -1 ? piece : piece.slice(0, split));
      const value = split === -1 ? '' : decodeFormText(piece.slice(split + 1));
      if (name === undefined) throw badQuery({ path: place, message: `has a name that ${UNDECODABLE}` });
      if (value === undefined) throw badQuery({ path: memberPath(place, name), message: UNDECODABLE });
      return [name, value];
    });

const convertPairs = (
  pairs: readonly Pair[],
  parameters: ReadonlyMap<string, Parameter>,
  { isClosed, place }: { readonly isClosed: boolean; readonly place: string },
): { readonly values: Record<string, unknown>; readonly violations: readonly Violation[] } => {
  const values: Record<string, unknown> = {};
  const violations = new Map<string, Violation>();
  const refuse = (name: string, message: string): void => {
    const path = memberPath(place, name);
    if (!violations.has(path)) violations.set(path, { path, message });
  };
  for (const [name, text] of pairs) {
    if (violations.size === MAX_VIOLATIONS) break;
    const parameter = parameters.get(name);
    if (parameter === undefined) {
      if (isClosed) refuse(name, undeclaredName('parameter', name, parameters.keys()));
      continue;
    }
    const converted = parameter.convert(text);
    if ('problem' in converted) refuse(name, converted.problem);
    else if (parameter.isList) listOf(values, name).push(converted.value);
    else if (Object.hasOwn(values, name)) refuse(name, 'must be given once');
    else values[name] = converted.value;
  }
  return { values, violations: [...violations.values()] };
};

const listOf = (values: Record<string, unknown>, name: string): unknown[] => {
  values[name] ??= [];
  return values[name] as unknown[];
};

const badQuery = (violation: Violation): ServiceError => refuseAll([violation], { status: 400 });
