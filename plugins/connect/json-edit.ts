import { isDeepStrictEqual } from 'node:util';
import type { JSONScanner, Node, ParseError } from 'jsonc-parser';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { AppliedEdit, JsonChange, UndoneEdit } from './config-edit.ts';
import { insertChild, removeChild } from './json-text.ts';
import { textForm } from './text-form.ts';

type Path = readonly string[];

const MAX_DEPTH = 256;

/** Loads the parser on the first edit, because every start of the command line loads this module. */
const loadParser = async () => import('jsonc-parser');

/** The value of a JSON file; comments and trailing commas are allowed. An empty file is an empty object. */
export const readJson = async (text: string): Promise<Record<string, unknown>> => {
  const { body } = textForm(text);
  if (body.trim() === '') return {};
  const { parse, printParseErrorCode, createScanner } = await loadParser();
  refuseDepth(body, createScanner(body, true));
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined) {
    const line = body.slice(0, first.offset).split('\n').length;
    throw new ServiceError('validation', `is no valid JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (isObject(value)) return value;
  throw new ServiceError('validation', 'is no JSON object');
};

/** Refuses deep nesting, because the parser and later steps recurse and a stranger's file could exhaust their stack. */
const refuseDepth = (body: string, scanner: JSONScanner): void => {
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = body[scanner.getTokenOffset()] ?? '';
    if (first === '{' || first === '[') depth += 1;
    if (first === '}' || first === ']') depth -= 1;
    if (depth > MAX_DEPTH) throw new ServiceError('validation', `is nested deeper than ${MAX_DEPTH} levels`);
  }
};

/** True if the file already contains all changes. */
export const hasJson = async (text: string, changes: readonly JsonChange[]): Promise<boolean> => {
  const root = await readJson(text);
  return changes.every(({ kind, path, value }) => {
    const found = valueAt(root, path);
    return kind === 'member' ? isDeepStrictEqual(found, value) : placeOf(found, value) >= 0;
  });
};

/**
 * Adds the missing parts. Comments, order and formatting of everything else stay. Throws `conflict` if a member has
 * another value, `validation` for a broken file.
 */
export const applyJson = async (text: string, changes: readonly JsonChange[]): Promise<AppliedEdit> => {
  const { bom, body, eol } = textForm(text);
  const before = await readJson(text);
  let current = body.trim() === '' ? `{}${eol}` : body;
  const wanted = structuredClone(before);
  const created: Path[] = [];
  const added: JsonChange[] = [];
  for (const change of changes) {
    const root = await readJson(current);
    const found = valueAt(root, change.path);
    if (isPresent(found, change)) continue;
    created.push(...missingContainers(root, change));
    current = await edited(current, change, eol);
    put(wanted, change);
    added.push(change);
  }
  // A repeated member name in one object could hide the change, so a partial edit is refused.
  if (!isDeepStrictEqual(await readJson(current), wanted)) {
    throw new ServiceError('validation', 'has a name twice in one object, so that the change would not count');
  }
  return { text: `${bom}${current}`, added: { form: 'json', changes: added }, created };
};

const isPresent = (found: unknown, { kind, path, value }: JsonChange): boolean => {
  if (kind === 'item') {
    if (found !== undefined && !Array.isArray(found)) throw wrongKind(path, 'a list');
    return placeOf(found, value) >= 0;
  }
  if (found !== undefined && !isDeepStrictEqual(found, value)) {
    throw new ServiceError('conflict', `has an entry ${path.join('.')} that this command did not write`, {
      hint: 'remove that entry, or choose another name with --name',
    });
  }
  return found !== undefined;
};

/** Adds the value to the innermost container that exists, together with the missing containers around it. */
const edited = async (text: string, { kind, path, value }: JsonChange, eol: string): Promise<string> => {
  const root = await readTree(text);
  let container = root;
  let depth = 0;
  for (; depth < path.length; depth += 1) {
    const next = childNamed(container, path[depth] as string)?.children?.[1];
    if (next === undefined) break;
    container = next;
  }
  if (depth === path.length) return insertChild(text, container, undefined, value, eol);
  const inner = path
    .slice(depth + 1)
    .reduceRight<unknown>((whole, name) => ({ [name]: whole }), kind === 'item' ? [value] : value);
  return insertChild(text, container, path[depth], inner, eol);
};

const readTree = async (text: string): Promise<Node> => {
  const { parseTree } = await loadParser();
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new ServiceError('validation', 'is no JSON object');
  return root;
};

const childNamed = (container: Node, name: string): Node | undefined =>
  container.children?.find((child) => child.children?.[0]?.value === name);

/** Removes the added parts that are unchanged; with `force`, changed ones as well. */
export const undoJson = async (
  text: string,
  changes: readonly JsonChange[],
  created: readonly Path[],
  force: boolean,
): Promise<UndoneEdit> => {
  const { bom, body } = textForm(text);
  const kept: string[] = [];
  let current = body;
  for (const change of changes) {
    const found = valueAt(await readJson(current), change.path);
    const places = placesToRemove(found, change, force);
    if (places.length === 0 && isLeft(found, change)) kept.push(change.path.join('.'));
    for (const place of places) current = await removed(current, place);
  }
  for (const path of created.toReversed()) {
    const found = valueAt(await readJson(current), path);
    if (isEmpty(found)) current = await removed(current, path);
  }
  const isBare = current.trim() === '' || (isEmpty(await readJson(current)) && !/\/[/*]/.test(current));
  return { text: isBare ? undefined : `${bom}${current}`, kept };
};

const placesToRemove = (found: unknown, change: JsonChange, force: boolean): (readonly (string | number)[])[] => {
  const { path, value } = change;
  if (change.kind === 'member') {
    return found !== undefined && (force || isDeepStrictEqual(found, value)) ? [path] : [];
  }
  if (!Array.isArray(found)) return [];
  const exact = placeOf(found, value);
  if (!force) return exact < 0 ? [] : [[...path, exact]];
  return found.flatMap((item, place) => (hasMarker(item, change.marker) ? [[...path, place]] : [])).toReversed();
};

/** Returns true if the file still contains the added part in a changed form. */
const isLeft = (found: unknown, change: JsonChange): boolean =>
  change.kind === 'member'
    ? found !== undefined
    : Array.isArray(found) && found.some((item) => hasMarker(item, change.marker));

const hasMarker = (item: unknown, marker: string): boolean => JSON.stringify(item).includes(marker);

const removed = async (text: string, path: readonly (string | number)[]): Promise<string> => {
  let container = await readTree(text);
  for (const name of path.slice(0, -1)) container = childNamed(container, String(name))?.children?.[1] ?? container;
  const last = path.at(-1);
  const place =
    typeof last === 'number' ? last : (container.children?.indexOf(childNamed(container, last ?? '') as Node) ?? -1);
  return removeChild(text, container, place);
};

const missingContainers = (root: Record<string, unknown>, { kind, path }: JsonChange): Path[] => {
  const missing: Path[] = [];
  const last = kind === 'item' ? path.length : path.length - 1;
  for (let length = 1; length <= last; length += 1) {
    const part = path.slice(0, length);
    const found = valueAt(root, part);
    const isList = kind === 'item' && length === path.length;
    if (found === undefined) missing.push(part);
    else if (!isList && !isObject(found)) throw wrongKind(part, 'an object');
  }
  return missing;
};

const wrongKind = (path: Path, kind: string): ServiceError =>
  new ServiceError('validation', `has a member ${path.join('.')} that is not ${kind}`);

const put = (root: Record<string, unknown>, { kind, path, value }: JsonChange): void => {
  let place = root;
  for (const name of path.slice(0, -1)) {
    place[name] ??= {};
    place = place[name] as Record<string, unknown>;
  }
  const last = path.at(-1) as string;
  place[last] = kind === 'member' ? value : [...((place[last] as unknown[] | undefined) ?? []), value];
};

export const valueAt = (root: unknown, path: Path): unknown => {
  let value = root;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
};

const placeOf = (list: unknown, value: unknown): number =>
  Array.isArray(list) ? list.findIndex((item) => isDeepStrictEqual(item, value)) : -1;

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
