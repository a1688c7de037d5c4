import { existsSync } from 'node:fs';
import { createFolderObjects } from '../adapters/files/folder-objects.ts';
import { createSealedObjects } from '../adapters/sealed/sealed-objects.ts';
import { type KeySource, type ObjectStore, type ObjectStores, ServiceError } from '../ports/ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens object stores with the credentials of the environment. Loads the code of a bucket when one is opened. With a
 * source of keys every store seals what it writes, so that no caller can forget to.
 */
export const createObjectStores = (env: Environment, keySource?: KeySource): ObjectStores => {
  // One client for each place, because a client keeps its connections.
  const opened = new Map<string, Promise<ObjectStore>>();
  return {
    async open(place, { mustExist = false } = {}) {
      const store = opened.get(place) ?? openPlace(place, env).then((inner) => createSealedObjects(inner, keySource));
      opened.set(place, store);
      // A failure may pass, for example when the operator installs the missing package.
      store.catch(() => opened.delete(place));
      const found = await store;
      // Skips buckets, because a request to a missing bucket fails by itself.
      if (mustExist && !isInBucket(place) && !existsSync(found.place)) throw noFolder(found.place);
      return found;
    },
  };
};

const isInBucket = (place: string): boolean => /^s3:/i.test(place);

const noFolder = (folder: string): ServiceError =>
  new ServiceError('lookup', `there is no folder ${folder}`, {
    hint: 'correct the path, or mount the disk that it lies on',
  });

const openPlace = async (place: string, env: Environment): Promise<ObjectStore> => {
  if (isInBucket(place)) {
    const [{ importS3Sdk, openBucket }, { createS3Objects }] = await Promise.all([
      import('../adapters/s3/s3-sdk.ts'),
      import('../adapters/s3/s3-objects.ts'),
    ]);
    return createS3Objects(openBucket(place, env, await importS3Sdk()));
  }
  if (/^[a-z0-9+.-]*:\/\//i.test(place) || place === '') {
    throw new ServiceError('validation', 'this is no place for backups', {
      hint: 'give s3://bucket/prefix, or the path of a folder',
    });
  }
  return createFolderObjects(place);
};
