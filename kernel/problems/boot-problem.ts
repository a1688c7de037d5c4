import { maskSecrets, ServiceError } from '../../ports/ports.ts';

/** A reason why a node cannot start, with advice for the operator. Never contains a secret. */
export interface BootProblem {
  readonly message: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error with everything that prevents a node from starting, found before any change. */
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

/** Removes duplicates, because a variable that several parts read has the same problem in each. */
const distinct = (problems: readonly BootProblem[]): BootProblem[] => [
  ...new Map(problems.map((problem) => [lineOf(problem), problem])).values(),
];

/** Throws all problems together; returns when there is none. */
export const refuseProblems = (problems: readonly BootProblem[]): void => {
  if (problems.length > 0) throw new BootError(problems);
};

/** Turns an error into a problem. A `ServiceError` keeps its own message and hint. */
export const problemOf = (error: unknown, doing: string): BootProblem => {
  const message = maskSecrets(error instanceof Error ? error.message : String(error));
  const hint = error instanceof ServiceError ? error.hint : undefined;
  return { message: `${doing}: ${message}`, cause: error, ...(hint === undefined ? {} : { hint }) };
};

/**
 * Turns a failure of a plugin at the start into a problem. It has the message for operators, and the code location for
 * the plugin's author.
 */
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
