import type { Writable } from 'node:stream';
import { maskSecrets, ServiceError } from '../../ports/ports.ts';
import type { CommandLineDeps, StartProblem } from './command-line-deps.ts';

/** Returns the separate reasons for a failed start; empty for any other error. */
export type FindProblems = CommandLineDeps['problemsOf'];

/**
 * Writes an error for a person. An operating error is one message with a hint. Any other error is a bug, and its stack
 * is for the report.
 */
export const reportError = (error: unknown, problemsOf: FindProblems, stderr: Writable): void => {
  stderr.write(errorReport(error, problemsOf));
};

/** Returns the lines that `reportError` writes. */
export const errorReport = (error: unknown, problemsOf: FindProblems = () => []): string => {
  const problems = problemsOf(error);
  if (problems.length > 0) return describeProblems(problems);
  if (error instanceof ServiceError) return describeServiceError(error);
  if (isSystemError(error)) return `error: ${maskSecrets(systemMessage(error))}\n`;
  return `error: this is a bug\n${maskSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`;
};

const describeProblems = (problems: readonly StartProblem[]): string => {
  const [first] = problems;
  return problems.length === 1 && first !== undefined
    ? `error: the node cannot start: ${first.message}\n${hintLine(first.hint)}`
    : `error: the node cannot start:\n${problemList(problems)}`;
};

/** Formats each problem with its number, and its hint below. */
export const problemList = (problems: readonly StartProblem[]): string =>
  problems.map(({ message, hint }, at) => `${at + 1}. ${message}\n${hintLine(hint, '   ')}`).join('');

/** Formats a hint as a line of its own; empty without one. */
export const hintLine = (hint: string | undefined, indent = ''): string =>
  hint === undefined || hint === '' ? '' : `${indent}hint: ${hint}\n`;

const describeServiceError = (error: ServiceError): string => {
  const lines = [`error: ${maskSecrets(error.message)}`];
  const violations = error.violations ?? [];
  for (const { path, message } of violations) {
    // A single violation is often the whole message, which would then be there twice.
    if (violations.length === 1 && error.message === `${path} ${message}`) continue;
    lines.push(`  ${maskSecrets(path === '' ? message : `${path}: ${message}`)}`);
  }
  return `${lines.join('\n')}\n${hintLine(error.hint)}`;
};

/**
 * Returns whether the operating system caused the error, such as a folder without write permission. Its message needs
 * no stack.
 */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

const systemMessage = ({ code, path, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' && path !== undefined ? `there is no file or folder ${path}` : message;
