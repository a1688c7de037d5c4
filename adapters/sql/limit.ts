/**
 * A bare `LIMIT ?` makes SQLite plan the statement anew whenever another value is bound, lest a plan fit the old limit
 * alone: 40 µs for a statement that runs in 2.
 */
export const LIMIT = 'LIMIT ? + 0';
