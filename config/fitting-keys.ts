import { type ContentKeys, presentRoot } from '../adapters/sealed/content-keys.ts';
import { ServiceError } from '../ports/ports.ts';
import type { SealMark } from './seal-mark.ts';

/** Returns the mark of a store whose rows are sealed with the present ones of these keys. */
export const markOf = (keys: ContentKeys): SealMark => ({
  id: keys.id,
  version: keys.version,
  root: presentRoot(keys).id,
});

/** Throws where a rotation has dropped the root with which the rows of the store are sealed. */
export const requireRoot = ({ roots }: ContentKeys, mark: SealMark, path: string): void => {
  if (roots.some(({ id }) => id === mark.root)) return;
  throw new ServiceError('conflict', `a rotation has destroyed the keys of this backup, and ${path} has later ones`, {
    hint:
      'restore a backup from after the last "encryption rotate" or "encryption on"; no key opens the contents of an ' +
      'earlier one any more',
  });
};

/** Throws also where a rotation has drawn a root that the rows of the store do not have yet. */
export const requirePresentRoot = (keys: ContentKeys, mark: SealMark, path: string): void => {
  requireRoot(keys, mark, path);
  if (presentRoot(keys).id === mark.root) return;
  throw new ServiceError('conflict', `a rotation of the content keys in ${path} has not reached this store`, {
    hint: 'run "fact-memory-node encryption rotate", which goes on with it; then start the node',
  });
};

/** Throws where a file of content keys is of another store, or older than this one. */
export const refuseUnfit = (file: Omit<SealMark, 'root'>, mark: SealMark, path: string): void => {
  if (file.id !== mark.id) {
    throw new ServiceError('conflict', `the content keys in ${path} belong to another store`, {
      hint: 'put back the file of this store, or name it in SVC_ENCRYPTION_KEY_STORE; a copy lies beside its backups',
    });
  }
  if (file.version < mark.version) throw olderKeys(path);
};

/** Keys that another store uses would be destroyed there by an erasure here, and the other way round. */
export const keysOfAnother = (path: string): ServiceError =>
  new ServiceError('conflict', `the content keys in ${path} belong to another store, and this store is new`, {
    hint:
      'restore a backup of that store, or name another file in SVC_ENCRYPTION_KEY_STORE; move this one away only when ' +
      'no store and no backup needs it',
  });

export const olderKeys = (path: string): ServiceError =>
  new ServiceError('conflict', `the content keys in ${path} are older than the store`, {
    hint:
      'put back the newest file, of which a copy lies beside the backups; an older one could bring back keys that ' +
      'an erasure has destroyed',
  });

export const noKey = (): ServiceError =>
  new ServiceError('conflict', 'the contents of this store are sealed, and the node has no encryption key', {
    hint: 'give the key in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND; without it nobody opens them',
  });

export const noKeyFile = (path: string): ServiceError =>
  new ServiceError('lookup', `the contents of this store are sealed, and there are no content keys at ${path}`, {
    hint: 'put back the file, of which a copy lies beside the backups, or name its place in SVC_ENCRYPTION_KEY_STORE',
  });
