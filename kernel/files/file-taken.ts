import { ServiceError } from '../../ports/ports.ts';

/** Returns the refusal of a command that would write to a file that is there already. */
export const fileTaken = (path: string): ServiceError =>
  new ServiceError('conflict', `${path} exists already and is never overwritten`, {
    hint: 'name another file, or move that one away',
  });
