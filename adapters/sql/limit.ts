/**
 * With a bare `LIMIT ?` SQLite plans the statement anew for each bound value, because a plan may fit the old limit
 * alone: 40 µs for a statement that runs in 2.
 */
export const LIMIT = 'LIMIT ? + 0';
