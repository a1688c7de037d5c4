import { maskUrls, ServiceError } from '../../ports/ports.ts';

/** One reason why a node cannot start, and what the operator can do about it. Never holds a secret. */
export interface BootProblem {
  readonly message: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Everything that keeps a node from starting, found before anything was touched, in one error. */
export class BootError extends ServiceError {
  readonly problems: readonly BootProblem[];

  constructor(found: readonly BootProblem[]) {
    const problems = distinct(found);
    const cause = problems.find((problem) => problem.cause !== undefined)?.cause;
    super('validation', headline(problems), cause === undefined ? {} : { cause });
    this.name = 'BootError';
    this.problems = problems;
  }
}

/** A variable that several parts read has the same problem in each. */
const distinct = (problems: readonly BootProblem[]): BootProblem[] => [
  ...new Map(problems.map((problem) => [lineOf(problem), problem])).values(),
];

/** Throws all problems together; returns when there is none. */
export const refuseProblems = (problems: readonly BootProblem[]): void => {
  if (problems.length > 0) throw new BootError(problems);
};

/** Turns an error into a problem. A `ServiceError` keeps its own message and hint. */
export const problemOf = (error: unknown, doing: string): BootProblem => {
  const message = maskUrls(error instanceof Error ? error.message : String(error));
  const hint = error instanceof ServiceError ? error.hint : undefined;
  return { message: `${doing}: ${message}`, cause: error, ...(hint === undefined ? {} : { hint }) };
};

/** The same for a failure of a plugin at the start. Operators need the message, and the plugin's author the place. */
export const pluginProblem = (plugin: string, doing: string, error: unknown): BootProblem => {
  const problem = problemOf(error, `${plugin} failed in ${doing}`);
  return error instanceof ServiceError ? problem : { ...problem, hint: 'start with SVC_LOG_LEVEL=debug to see where' };
};

const headline = (problems: readonly BootProblem[]): string => {
  const lines = problems.map(lineOf);
  return lines.length === 1
    ? `the node cannot start: ${lines[0]}`
    : ['the node cannot start:', ...lines].join('\n  - ');
};

const lineOf = ({ message, hint }: BootProblem): string => (hint === undefined ? message : `${message} (${hint})`);
