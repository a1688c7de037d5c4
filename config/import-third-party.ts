import { pathToFileURL } from 'node:url';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { shellQuote } from '../kernel/commands/shell-quote.ts';
import { type BootProblem, problemOf } from '../kernel/problems/boot-problem.ts';
import { withinTime } from '../kernel/time/within-time.ts';
import { type Clock, ServiceError } from '../ports/ports.ts';
import { resolveModule } from './resolve-module.ts';

/** A module whose top level awaits something that never settles would block the start silently. */
export const LOAD_LIMIT_MS = 30_000;

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
  clock: Clock = createSystemClock(),
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
    return await withinTime(clock, LOAD_LIMIT_MS, () => import(pathToFileURL(file).href), tookTooLong);
  } catch (error) {
    const problem = problemOf(error, `${where}: the module ${JSON.stringify(from)} cannot be imported`);
    // Node.js keeps the place of a syntax error from programs, and prints it where it runs the module itself.
    const hint = lacksThisPackage(error) ? INSTALL_HERE : `"node ${shellQuote(file)}" shows the line`;
    problems.push({ hint, ...problem });
    return undefined;
  }
};

const tookTooLong = (): ServiceError =>
  new ServiceError('unavailable', `its top level has not ended within ${LOAD_LIMIT_MS / 1_000} s`, {
    hint: 'move work that waits into setup or a task of onStart; an adapter has create for it',
  });
