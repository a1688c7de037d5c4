import type { Writable } from 'node:stream';
import { maskUrls, ServiceError } from '../../ports/ports.ts';

/**
 * Tells a person what went wrong and what to do. An operating error is one message; anything else is a bug, and its stack is
 * what a report about it needs.
 */
export const reportError = (error: unknown, stderr: Writable): void => {
  stderr.write(errorReport(error));
};

/** What `reportError` writes: whole lines. */
export const errorReport = (error: unknown): string => {
  if (error instanceof ServiceError) return describeServiceError(error);
  if (isSystemError(error)) return `error: ${maskUrls(error.message)}\n`;
  return `error: this is a bug\n${maskUrls(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`;
};

const describeServiceError = (error: ServiceError): string => {
  const lines = [`error: ${error.message}`];
  for (const { path, message } of error.violations ?? []) lines.push(`  ${path === '' ? '' : `${path}: `}${message}`);
  if (error.hint !== undefined && error.hint !== '') lines.push(`hint: ${error.hint}`);
  return `${lines.join('\n')}\n`;
};

/** A refusal of the operating system, such as a folder without write permission: the message says it all. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
