import { join } from 'node:path';
import { PERMISSIONS, SCOPES, ServiceError } from '../../ports/ports.ts';
import type { KeyAdministration, KeyRecord } from './command-line-deps.ts';
import { drawKey, readKeyFile, writeKeyFile } from './key-file.ts';

export const FIRST_KEY_FILE = 'admin.key';

/** `registered` is null when the store had a key before. */
export interface FirstKey {
  readonly file: string;
  readonly registered: KeyRecord | null;
}

/**
 * Gives a store without any key its first one. The file comes first: a crash in between leaves a key that is on disk but not yet
 * known, and the next start registers that one; the other order could leave an admin key that nobody has. Several first starts
 * at once agree on whichever file came first.
 */
export const ensureFirstKey = async (
  keys: KeyAdministration,
  dataFolder: string,
  entityUri: string,
): Promise<FirstKey> => {
  const file = join(dataFolder, FIRST_KEY_FILE);
  if ((await keys.count()) > 0) return { file, registered: null };
  writeKeyFile(file, drawKey());
  const rawKey = readKeyFile(file);
  if (rawKey === null) throw new ServiceError('unavailable', `${file} disappeared while it was being written`);
  try {
    const registered = await keys.register({
      rawKey,
      entityUri,
      permissions: PERMISSIONS,
      allowedScopes: SCOPES,
      description: 'first key, drawn by the command line',
      expiresAt: undefined,
    });
    return { file, registered };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return { file, registered: null };
    throw error;
  }
};
