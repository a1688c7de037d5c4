import { PERMISSIONS } from '../../ports/ports.ts';
import type { BootProblem } from '../boot/boot-problem.ts';
import type { OwnedRoute } from './route-table.ts';

/** What a route of a plugin leaves out or misspells. A plugin that nobody here compiled may hold anything. */
export const shapeProblems = (routes: readonly OwnedRoute[]): BootProblem[] =>
  routes.flatMap(({ route, plugin }) => {
    const named = (what: string, hint: string): BootProblem => ({
      message: `plugin "${plugin}": the route ${route.method} ${route.path} ${what}`,
      hint,
    });
    const problems: BootProblem[] = [];
    if (!isAccess(route.access)) {
      problems.push(
        named(
          route.access === undefined ? 'has no access' : 'has an access that is none',
          "say who may call it: access: { permission: 'read' }, access: { permission: 'any' } for every key, or access: 'open'",
        ),
      );
    }
    if (wantsBody(route) && route.body === undefined) {
      problems.push(
        named(
          'reads a body without a schema',
          "describe the body: body: schema({ type: 'object', ... }), or say bodyForm: 'none' when there is none",
        ),
      );
    }
    if (typeof route.handle !== 'function')
      problems.push(named('has no handle function', 'add handle: (request) => ...'));
    return problems;
  });

const isAccess = (access: unknown): boolean => {
  if (typeof access !== 'object' || access === null) return access === 'open' || access === 'peer';
  const { permission } = access as { readonly permission?: unknown };
  const known: readonly unknown[] = PERMISSIONS;
  if (Array.isArray(permission)) return permission.length > 0 && permission.every((each) => known.includes(each));
  return permission === 'any' || known.includes(permission);
};

/** Methods that carry a body, unless the route says that it takes none; and routes that say how they take one. */
const wantsBody = ({ method, bodyForm, bodyOptional, bodyLimit }: OwnedRoute['route']): boolean => {
  if (bodyForm !== undefined) return bodyForm === 'json';
  return METHODS_WITH_BODY.has(method) || bodyOptional === true || bodyLimit !== undefined;
};

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
