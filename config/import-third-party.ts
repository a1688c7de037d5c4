import { pathToFileURL } from 'node:url';
import { type BootProblem, problemOf } from '../kernel/problems/boot-problem.ts';
import { resolveModule } from './resolve-module.ts';

const INSTALL_HERE = 'install the package fact-memory-node in the folder of the module, or in one above it';

const lacksThisPackage = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND' &&
  String(error).includes("package 'fact-memory-node'");

/**
 * Imports a module that the configuration names. `from` is a path, relative to the folder, or the name of a package
 * that is installed there or beside the node. Undefined, with a problem and advice, when the import fails; `where` is
 * the setting that names it.
 */
export const importThirdParty = async (
  { where, from, folder }: { readonly where: string; readonly from: string; readonly folder: string },
  problems: BootProblem[],
): Promise<Record<string, unknown> | undefined> => {
  const file = resolveModule(from, folder);
  if (file === undefined) {
    problems.push({
      message: `${where}: there is no module ${JSON.stringify(from)}`,
      hint: `a path starts with ./ and is looked up in ${folder}; a package must be installed there or beside the node`,
    });
    return undefined;
  }
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    const problem = problemOf(error, `${where}: the module ${JSON.stringify(from)} cannot be imported`);
    problems.push(lacksThisPackage(error) ? { ...problem, hint: INSTALL_HERE } : problem);
    return undefined;
  }
};
