import type { Ref } from '../../ports/ports.ts';
import type { Requires } from '../container/requires.ts';
import type { BootProblem } from '../problems/boot-problem.ts';
import type { AnyPlugin } from './plugin-definition.ts';

/** One entry of a plugin's `requires`. */
export interface Requirement {
  readonly key: string;
  readonly ref: Ref<unknown>;
  readonly optional: boolean;
}

export const requirementsOf = (plugin: AnyPlugin): Requirement[] =>
  Object.entries((plugin.requires ?? {}) as Requires).map(([key, need]) =>
    'optional' in need ? { key, ref: need.optional, optional: true } : { key, ref: need, optional: false },
  );

/**
 * Orders plugins for setup: a plugin comes after the providers of all refs that it requires, optional ones included.
 * Names break ties, so that nodes with the same plugins have the same order. A cycle is reported with its path, and its
 * plugins are omitted.
 */
export const orderPlugins = (
  plugins: readonly AnyPlugin[],
  providers: ReadonlyMap<string, AnyPlugin>,
  problems: BootProblem[],
): AnyPlugin[] => {
  const waiting = new Map([...plugins].sort(byName).map((plugin) => [plugin, providersOf(plugin, providers)] as const));
  const ordered: AnyPlugin[] = [];
  while (waiting.size > 0) {
    const next = [...waiting].find(([, needs]) => needs.every(({ provider }) => !waiting.has(provider)));
    if (next === undefined) {
      problems.push(describeCycle(waiting));
      return ordered;
    }
    ordered.push(next[0]);
    waiting.delete(next[0]);
  }
  return ordered;
};

interface Need {
  readonly id: string;
  readonly provider: AnyPlugin;
}

const byName = (a: AnyPlugin, b: AnyPlugin): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const providersOf = (plugin: AnyPlugin, providers: ReadonlyMap<string, AnyPlugin>): Need[] =>
  requirementsOf(plugin).flatMap(({ ref }) => {
    const provider = providers.get(ref.id);
    return provider === undefined || provider === plugin ? [] : [{ id: ref.id, provider }];
  });

/**
 * Finds a cycle by following the first requirement of each plugin, because every plugin here requires another one of
 * them.
 */
const describeCycle = (waiting: ReadonlyMap<AnyPlugin, readonly Need[]>): BootProblem => {
  const path: { plugin: AnyPlugin; id: string }[] = [];
  let at = [...waiting.keys()][0] as AnyPlugin;
  while (!path.some(({ plugin }) => plugin === at)) {
    const need = (waiting.get(at) ?? []).find(({ provider }) => waiting.has(provider)) as Need;
    path.push({ plugin: at, id: need.id });
    at = need.provider;
  }
  const cycle = path.slice(path.findIndex(({ plugin }) => plugin === at));
  const steps = cycle.map(({ plugin, id }) => `${plugin.name} requires ${id} of `).join('');
  return {
    message: `plugins require each other: ${steps}${at.name}`,
    hint: 'replace one of the refs by a hook, or split one of the plugins',
  };
};
