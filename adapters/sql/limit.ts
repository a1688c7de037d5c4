/**
 * The SQL of a limit. For a bare `LIMIT ?`, SQLite plans the statement again for each bound value, because a plan may
 * suit the old limit only. Planning takes 40 µs, and running the statement 2 µs.
 */
export const LIMIT = 'LIMIT ? + 0';
