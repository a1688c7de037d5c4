/** Error codes of a full disk, a quota, and a limit on the size of files. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export const isDiskFull = (error: unknown): boolean => NO_ROOM.has((error as NodeJS.ErrnoException).code);
