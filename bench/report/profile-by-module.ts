import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure, printTable } from './print-table.ts';

/** The main thread has the number 0 in the names of the files: `CPU.date.time.pid.thread.run.cpuprofile`. */
const OF_MAIN_THREAD = /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/;
const SHOWN_MODULES = 24;

interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** Line and column count from zero. */
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
}

/** A span of the monotonic clock in microseconds, which profiles use too. */
export interface ProfileSpan {
  readonly fromUs: number;
  readonly toUs: number;
  readonly requests: number;
}

export const monotonicUs = (): number => Number(process.hrtime.bigint() / 1000n);

/** Prints the processor time of each module for a request, from the profile that `--cpu-prof` left in this folder. */
export const printByModule = (folder: string, span: ProfileSpan): void => {
  const file = readdirSync(folder).find((name) => OF_MAIN_THREAD.test(name));
  if (file === undefined) throw new Error('the node left no profile of its main thread');
  const times = timesByModule(JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile, span);
  const sorted = [...times].sort(([, one], [, other]) => other - one);
  const rest = sorted.slice(SHOWN_MODULES).reduce((sum, [, us]) => sum + us, 0);
  const total = sorted.reduce((sum, [, us]) => sum + us, 0);
  printTable(
    ['module', 'µs/req', '%'],
    [...sorted.slice(0, SHOWN_MODULES), ['all others', rest] as const, ['main thread', total] as const].map(
      ([module, us]) => [module, figure(us / span.requests, 1), figure((100 * us) / total, 1)],
    ),
  );
};

/** Adds up the samples of the span by the module of the function that ran, without the samples of an idle thread. */
const timesByModule = (profile: CpuProfile, { fromUs, toUs }: ProfileSpan): Map<string, number> => {
  const sourceOf = sourceFinder();
  const modules = new Map(profile.nodes.map(({ id, callFrame }) => [id, moduleOf(callFrame, sourceOf(callFrame))]));
  const times = new Map<string, number>();
  let nowUs = profile.startTime;
  for (const [at, id] of profile.samples.entries()) {
    nowUs += profile.timeDeltas[at] ?? 0;
    const module = modules.get(id) ?? '';
    // A delta precedes its sample, so the function of a sample ran for the next delta.
    if (nowUs < fromUs || nowUs > toUs || module === '(idle)') continue;
    times.set(module, (times.get(module) ?? 0) + (profile.timeDeltas[at + 1] ?? 0));
  }
  return times;
};

type CallFrame = ProfileNode['callFrame'];

/** Returns a function that finds the source of a function, because the program runs from bundles of many modules. */
const sourceFinder = (): ((frame: CallFrame) => string) => {
  const maps = new Map<string, SourceMap | undefined>();
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith('file:')) return url;
    if (!maps.has(url)) maps.set(url, readSourceMap(`${fileURLToPath(url)}.map`));
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    return entry !== undefined && 'originalSource' in entry ? new URL(entry.originalSource, url).href : url;
  };
};

const readSourceMap = (file: string): SourceMap | undefined =>
  existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;

const OWN_MODULE = /\/((?:adapters|config|kernel|plugins|ports)\/[^/]+)/;
const PACKAGE = /\/node_modules\/(@[^/]+\/[^/]+|[^/]+)/;

/** Returns the folder of this repository, the package, or the kind of native code that a function belongs to. */
const moduleOf = ({ functionName, url }: CallFrame, source: string): string => {
  if (url === '') return functionName.startsWith('(') ? functionName : `native ${functionName}`;
  if (url.startsWith('node:')) return "Node's own modules";
  return PACKAGE.exec(source)?.[1] ?? OWN_MODULE.exec(source)?.[1] ?? source;
};
