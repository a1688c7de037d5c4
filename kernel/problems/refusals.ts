import { type ErrorCode, ServiceError, type Violation } from '../../ports/service-error.ts';

/** The maximum number of violations in one answer, enough to correct a request. */
export const MAX_VIOLATIONS = 20;

/**
 * Combines several violations into one error, with only the first one for each path. The detail has the first one and
 * the number of the others.
 */
export const refuseAll = (
  found: readonly Violation[],
  { code = 'validation', status }: { readonly code?: ErrorCode; readonly status?: number } = {},
): ServiceError => {
  const byPath = new Map<string, Violation>();
  for (const violation of found) if (!byPath.has(violation.path)) byPath.set(violation.path, violation);
  const violations = [...byPath.values()].slice(0, MAX_VIOLATIONS);
  const [first] = violations;
  const detail = first === undefined ? 'the request is not valid' : `${first.path} ${first.message}`;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more, see errors)` : '';
  return new ServiceError(code, detail + more, { violations, ...(status !== undefined && { status }) });
};

/** Collects the violations of a document that code checks member by member, so that one answer names all of them. */
export class Refusals {
  readonly #found: { readonly violations: readonly Violation[]; readonly refusal: ServiceError }[] = [];

  /**
   * Returns the result of `read`. A refusal is collected instead of thrown; the result is then meaningless, and
   * `settle` throws.
   */
  attempt<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#found.push({ violations: error.violations ?? [], refusal: error });
      return undefined as T;
    }
  }

  /** The number of violations so far. */
  get count(): number {
    return this.#found.reduce((sum, { violations }) => sum + violations.length, 0);
  }

  /** Adds violations that were found elsewhere. */
  add(violations: readonly Violation[], code: ErrorCode = 'validation'): void {
    if (violations.length > 0) this.#found.push({ violations, refusal: refuseAll(violations, { code }) });
  }

  /**
   * Throws the collected refusals: a single one unchanged, several under their common code, or as `validation` without
   * one.
   */
  settle(): void {
    const [first, ...more] = this.#found;
    if (first === undefined) return;
    if (more.length === 0) throw first.refusal;
    const { code: id, status } = first.refusal;
    const isOneCode = more.every(({ refusal }) => refusal.code === id && refusal.status === status);
    throw refuseAll(
      this.#found.flatMap(({ violations }) => violations),
      isOneCode ? { code: { id, status } } : {},
    );
  }
}
