import type { BootProblem } from '../problems/boot-problem.ts';
import type { Answers } from '../schemas/answer-schemas.ts';
import { isSchema } from '../schemas/is-schema.ts';
import { type Components, referencesIn } from '../vocabulary/components.ts';
import { isWord } from '../vocabulary/define-vocabulary.ts';
import { Permissions } from '../vocabulary/permissions.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type Access, permissionsOf } from './route-definition.ts';
import type { OwnedRoute } from './route-table.ts';

/** Returns missing and misspelled members of a plugin's route. A foreign plugin in JavaScript may contain anything. */
export const shapeProblems = (
  routes: readonly OwnedRoute[],
  vocabulary: Vocabulary,
  components: Components,
): BootProblem[] =>
  routes.flatMap(({ route, plugin }) =>
    [
      ...(METHODS.has(route.method) ? [] : [NO_METHOD]),
      ...accessProblems(route.access, vocabulary),
      ...schemaProblems(route),
      ...bodyProblems(route),
      ...answerProblems(route.answers, components),
      ...referenceProblems('shows', route.bodyShown, components),
      ...(typeof route.handle === 'function' ? [] : [NO_HANDLE]),
    ].map(([what, hint]) => ({ message: `plugin "${plugin}": the route ${route.method} ${route.path} ${what}`, hint })),
  );

/** The end of a sentence about the route, and a hint. */
type Problem = readonly [what: string, hint: string];

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const NO_METHOD: Problem = ['has a method that no route can have', `its method is one of ${[...METHODS].join(', ')}`];
const NO_HANDLE: Problem = ['has no handle function', 'add handle: (request) => ...'];

const accessProblems = (access: unknown, vocabulary: Vocabulary): Problem[] => {
  if (!isAccess(access)) {
    const hint =
      "say who may call it: access: { permission: 'read' }, access: { permission: 'any' } for every key, or access: 'open'";
    return [[access === undefined ? 'has no access' : 'has an access that is none', hint]];
  }
  const unknown = permissionsOf(access).find((id) => id !== 'any' && vocabulary.find(Permissions, id) === undefined);
  if (unknown === undefined) return [];
  const hint = `list it in the "declares" of a plugin that is enabled: definePermission('${unknown}', ...)`;
  return [[`asks for the permission ${unknown}, which nobody declares`, hint]];
};

const SCHEMAS = ['params', 'query', 'body', 'itemSchema'] as const;

const schemaProblems = (route: OwnedRoute['route']): Problem[] =>
  SCHEMAS.filter((part) => route[part] !== undefined && !isSchema(route[part])).map((part) => [
    `has a ${part} that is no schema`,
    `use the function: ${part}: schema({ type: 'object', ... })`,
  ]);

const bodyProblems = (route: OwnedRoute['route']): Problem[] => {
  if (!wantsBody(route) || route.body !== undefined) return [];
  const hint = "describe the body: body: schema({ type: 'object', ... }), or say bodyForm: 'none' when there is none";
  return [['reads a body without a schema', hint]];
};

const answerProblems = (answers: Answers | undefined, components: Components): Problem[] => {
  if (typeof answers !== 'object' || answers === null) {
    const example = "answers: { 200: { json: { type: 'object', ... } } }, or { 204: {} } where there is no body";
    return [['does not say what it returns', `describe its answers by status: ${example}`]];
  }
  return referenceProblems('answers with', Object.values(answers), components);
};

const referenceProblems = (does: string, json: unknown, components: Components): Problem[] => {
  const unknown = referencesIn(json).filter((name) => !Object.hasOwn(components, name));
  return [...new Set(unknown)].map((name) => [
    `${does} ${name}, a schema that nothing declares`,
    'list it in the "declares" of a plugin that is enabled: defineComponent(...)',
  ]);
};

const isAccess = (access: unknown): access is Access => {
  if (typeof access !== 'object' || access === null) return access === 'open' || access === 'peer';
  const { permission } = access as { readonly permission?: unknown };
  if (!Array.isArray(permission)) return isPermission(permission);
  return permission.length > 0 && permission.every((each) => each !== 'any' && isPermission(each));
};

const isPermission = (value: unknown): boolean => typeof value === 'string' || isWord(value);

/**
 * Returns whether the method has a body, unless the route refuses one; also true for a route with settings for its
 * body.
 */
const wantsBody = ({ method, bodyForm, bodyOptional, bodyLimit }: OwnedRoute['route']): boolean => {
  if (bodyForm !== undefined) return bodyForm === 'json' || bodyForm === 'form';
  return METHODS_WITH_BODY.has(method) || bodyOptional === true || bodyLimit !== undefined;
};

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
