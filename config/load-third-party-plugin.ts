import { looksLikePlugin } from '../kernel/plugins/check-plugin.ts';
import type { AnyPlugin } from '../kernel/plugins/plugin-definition.ts';
import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import type { Clock } from '../ports/ports.ts';
import { importThirdParty } from './import-third-party.ts';

/**
 * Imports a third party's plugin. `from` is a path, relative to the folder, or the name of a package that is installed
 * there or beside the node. The module exports one plugin, by default or under a name; of several, the one named like
 * its configuration key. Undefined, with a problem and advice, when there is none.
 */
export const loadThirdPartyPlugin = async (
  { name, from, folder }: { readonly name: string; readonly from: string; readonly folder: string },
  problems: BootProblem[],
  clock?: Clock,
): Promise<AnyPlugin | undefined> => {
  const where = `plugins.${name}.from`;
  const exported = await importThirdParty({ where, from, folder }, problems, clock);
  if (exported === undefined) return undefined;
  return pickPlugin(exported, { name, where }, problems);
};

const pickPlugin = (
  exported: Record<string, unknown>,
  { name, where }: { readonly name: string; readonly where: string },
  problems: BootProblem[],
): AnyPlugin | undefined => {
  // A module may export one plugin under two names, usually its own and the default.
  const found = [...new Set(Object.values(exported).filter(looksLikePlugin))];
  const named = found.find((plugin) => plugin.name === name);
  if (named !== undefined) return named;
  const names = found.map((plugin) => JSON.stringify(plugin.name)).join(', ');
  problems.push(
    found.length === 0
      ? {
          message: `${where}: the module exports no plugin`,
          hint: 'export what definePlugin returns: an object with name, version, kernelApi and setup',
        }
      : {
          message: `${where}: the module exports ${names}, not ${JSON.stringify(name)}`,
          hint:
            found.length === 1
              ? `put it under plugins.${found[0]?.name}`
              : `use one of these names in place of ${name}`,
        },
  );
  return undefined;
};
