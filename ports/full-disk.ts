/** Error codes of a full disk, a quota, and a limit on the size of files. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Returns whether an error of the file system means that a file has no room. */
export const isDiskFull = (error: unknown): boolean => NO_ROOM.has((error as NodeJS.ErrnoException | undefined)?.code);
