import type { SqlValue } from '../../ports/ports.ts';

/** Returns the text of a column that may be null. */
export const textOrNull = (value: SqlValue | undefined): string | null => (value == null ? null : String(value));

/** Returns the number of a column that may be null. PostgreSQL returns long integers as text. */
export const numberOrNull = (value: SqlValue | undefined): number | null => (value == null ? null : Number(value));
