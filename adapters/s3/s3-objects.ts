import { setTimeout as pause } from 'node:timers/promises';
import type { HeadObjectCommandOutput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { isObjectPath, type ObjectLock, type ObjectStore, ServiceError } from '../../ports/ports.ts';
import { explainS3, isMissing, isPassing, isUnknownRequest, unusable } from './s3-errors.ts';
import type { S3Bucket } from './s3-sdk.ts';
import { createS3Writer } from './s3-writer.ts';

/** How often a read that was cut off goes on, without a byte in between. */
const RESUMES = 5;
const PAUSE_MS = 200;
/** The time in milliseconds for one page of a list, with its repetitions: a person may wait for it. */
const LIST_LIMIT_MS = 30_000;

/** Objects of a bucket of S3, or of a server with the same protocol. */
export const createS3Objects = (bucket: S3Bucket, listLimitMs = LIST_LIMIT_MS): ObjectStore => {
  const { sdk, client, name, prefix } = bucket;
  const place = `s3://${name}/${prefix}`;
  const keyOf = (path: string): { readonly Bucket: string; readonly Key: string } => {
    if (!isObjectPath(path)) throw new Error('the path of an object is made of plain names');
    return { Bucket: name, Key: `${prefix}${path}` };
  };
  /** Returns the path of a key that the server has named; undefined for one that is none of ours. */
  const pathOf = (key: string | undefined): string | undefined => {
    if (!key?.startsWith(prefix)) return undefined;
    const path = key.slice(prefix.length);
    return isObjectPath(path) ? path : undefined;
  };
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainS3(place, error);
    }
  };
  const listPage = async (below: string, token: string | undefined): Promise<ListObjectsV2CommandOutput> => {
    const abortSignal = AbortSignal.timeout(listLimitMs);
    const page = { Bucket: name, Prefix: `${prefix}${below}`, ContinuationToken: token };
    try {
      return await client.send(new sdk.ListObjectsV2Command(page), { abortSignal });
    } catch (error) {
      throw abortSignal.aborted ? unusable(place, `no answer within ${listLimitMs / 1_000} s`) : error;
    }
  };
  const writer = createS3Writer(bucket);
  const head = (path: string, VersionId?: string): Promise<HeadObjectCommandOutput | null> =>
    client.send(new sdk.HeadObjectCommand({ ...keyOf(path), VersionId })).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  return {
    place,
    async *list(below) {
      let token: string | undefined;
      do {
        const page = await explained(() => listPage(below, token));
        for (const { Key, Size } of page.Contents ?? []) {
          const path = pathOf(Key);
          if (path !== undefined && Number.isSafeInteger(Size)) yield { path, bytes: Number(Size) };
        }
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    async *unfinished(below) {
      for (const { Key } of await explained(() => writer.uploads(`${prefix}${below}`))) {
        const path = pathOf(Key);
        if (path !== undefined) yield path;
      }
    },
    write: (path, content, options) => explained(() => writer.write(keyOf(path), content, options)),
    async *read(path, fromByte = 0) {
      yield* readObject(bucket, place, keyOf(path), fromByte);
    },
    lockOf: (path) => explained(async () => lockIn(await head(path))),
    remove: (path) =>
      explained(async () => {
        const lock = lockIn(await head(path));
        if (lock !== null) throw locked(place);
        for (const { UploadId, Key } of await writer.uploads(keyOf(path).Key)) {
          if (Key === keyOf(path).Key) await writer.abort(keyOf(path), UploadId);
        }
        for (const { VersionId } of await versionsOf(bucket, keyOf(path))) {
          await client.send(new sdk.DeleteObjectCommand({ ...keyOf(path), VersionId }));
        }
      }),
    removeFormer: (path) =>
      explained(async () => {
        const found = await versionsOf(bucket, keyOf(path));
        for (const { VersionId } of found.filter(({ IsLatest }) => IsLatest === false)) {
          // A lock ends the removal of a version with an error that names no lock.
          const lock = lockIn(await head(path, VersionId));
          if (lock !== null) throw locked(place);
          await client.send(new sdk.DeleteObjectCommand({ ...keyOf(path), VersionId }));
        }
      }),
  };
};

/** Reads an object, and goes on where a connection was cut or a body ended short. */
async function* readObject(
  { sdk, client }: S3Bucket,
  place: string,
  key: { readonly Bucket: string; readonly Key: string },
  fromByte: number,
): AsyncGenerator<Uint8Array> {
  let at = fromByte;
  let tag: string | undefined;
  for (let failures = 0; ; ) {
    try {
      const range = at === 0 ? {} : { Range: `bytes=${at}-` };
      const reply = await client.send(new sdk.GetObjectCommand({ ...key, ...range, IfMatch: tag }));
      tag ??= reply.ETag;
      const end = at + (reply.ContentLength ?? 0);
      for await (const chunk of reply.Body as unknown as AsyncIterable<Uint8Array>) {
        at += chunk.length;
        if (chunk.length > 0) failures = 0;
        yield chunk;
      }
      if (at >= end) return;
    } catch (error) {
      if (!isPassing(error)) throw explainS3(place, error);
    }
    failures += 1;
    if (failures > RESUMES) throw unusable(place, 'connections are cut');
    await pause(PAUSE_MS * failures);
  }
}

interface ObjectVersion {
  readonly VersionId?: string | undefined;
  readonly IsLatest?: boolean | undefined;
}

/**
 * Returns the versions of an object; one without an id stands for the only one on a server without versions. In a
 * bucket with versions a plain removal would only hide the object.
 */
const versionsOf = async (
  { sdk, client }: S3Bucket,
  { Bucket, Key }: { readonly Bucket: string; readonly Key: string },
): Promise<readonly ObjectVersion[]> => {
  try {
    const found = await client.send(new sdk.ListObjectVersionsCommand({ Bucket, Prefix: Key }));
    return [...(found.Versions ?? []), ...(found.DeleteMarkers ?? [])].filter((one) => one.Key === Key);
  } catch (error) {
    if (isUnknownRequest(error)) return [{}];
    throw error;
  }
};

const lockIn = (head: HeadObjectCommandOutput | null): ObjectLock | null => {
  if (head === null) return null;
  if (head.ObjectLockLegalHoldStatus === 'ON') return { untilMs: null };
  const untilMs = head.ObjectLockRetainUntilDate?.getTime();
  return untilMs !== undefined && untilMs > Date.now() ? { untilMs } : null;
};

const locked = (place: string): ServiceError =>
  new ServiceError('conflict', `an object in ${place} is locked`, { hint: 'remove it when its lock has ended' });
