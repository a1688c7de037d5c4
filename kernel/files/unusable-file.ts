import { basename } from 'node:path';
import { isDiskFull } from '../../ports/full-disk.ts';
import { ServiceError } from '../../ports/ports.ts';

/**
 * Returns the refusal for a file beside the store that cannot be used, from the error of the file system. It names no
 * folder, because callers over the network may see it.
 */
export const unusableFile = (file: string, cause: unknown): ServiceError => {
  const { code, message } = cause as NodeJS.ErrnoException;
  // The refusals of `openOrdinaryFile` begin with the path.
  const reason = cause instanceof ServiceError ? message.replace(`${file} is `, '') : (code ?? message);
  return new ServiceError('unavailable', `the file ${basename(file)} beside the store cannot be used (${reason})`, {
    hint: isDiskFull(cause)
      ? 'free space on its disk'
      : 'it must be a regular file that the user of the node may read and write, or not be there',
    cause,
  });
};
