import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OfflineStore } from '../../kernel/internal-api.ts';
import { type Clock, formatInstant, type ObjectStores, parseInstant, ServiceError } from '../../kernel/plugin-api.ts';
import { createOwnFolder } from './backup-folder.ts';
import { type ChainGap, type ChosenPoint, chosenPoint, reachedHint, readIncrements } from './increment-chains.ts';
import type { Manifest } from './manifest-json.ts';

const LATEST = 'latest';

export interface PointRequest {
  /** An instant, or `latest`. */
  readonly at: string;
  /** A target. */
  readonly from: string | undefined;
  readonly objects: ObjectStores;
  readonly clock: Clock;
  readonly store: Pick<OfflineStore, 'assemble'>;
  onProgress(doneBytes: number, totalBytes: number): void;
}

/** A chain up to a point in time, every increment of which is as it was written. */
export interface CheckedPoint {
  readonly chain: string;
  readonly increments: number;
  readonly bytes: number;
  /** When the last commit in it was made, RFC 3339. */
  readonly pointInTime: string;
  /** Times between the chains of the target. */
  readonly gaps: readonly ChainGap[];
}

/** Reads the increments up to a point in time, and keeps nothing. */
export const checkPoint = async (request: PointRequest): Promise<CheckedPoint> => {
  const { chain, increments, atMs, gaps } = await assembled(request, undefined);
  const bytes = increments.reduce((sum, one) => sum + one.bytes, 0);
  return { chain, increments: increments.length, bytes, pointInTime: formatInstant(atMs), gaps };
};

/** Runs work with a folder that has the store as of a point in time, and that is removed afterwards. */
export const withPoint = async <T>(
  folder: string,
  request: PointRequest,
  work: (path: string, manifest: Manifest) => Promise<T>,
): Promise<T> => {
  await createOwnFolder(folder);
  const path = await mkdtemp(join(folder, 'chain-'));
  try {
    const { chain, atMs, copy } = await assembled(request, path);
    if (copy === null) throw new Error('the chain was put together without a copy');
    return await work(path, { id: chain, createdAt: formatInstant(atMs), copy, keyFiles: [] });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
};

const assembled = async ({ at, from, objects, clock, store, onProgress }: PointRequest, folder: string | undefined) => {
  if (from === undefined) {
    throw new ServiceError('validation', '--at needs --from', { hint: 'name the target that has the increments' });
  }
  const target = await objects.open(from, { mustExist: true });
  const chosen = await chosenPoint(target, readPoint(at), clock.nowMs());
  const { chain, untilMs } = chosen;
  let begun = 0;
  const increments = async function* (): ReturnType<typeof readIncrements> {
    for await (const increment of readIncrements(target, chosen, onProgress)) {
      begun += 1;
      yield increment;
    }
  };
  try {
    return { ...chosen, ...(await store.assemble({ chain, increments: increments(), untilMs, folder })) };
  } catch (error) {
    throw withReached(error, chosen, begun - 1);
  }
};

/** Adds what the increments before a damaged one still bring back. */
const withReached = (error: unknown, { increments }: ChosenPoint, whole: number): unknown => {
  const [base, last] = [increments[0], increments[whole - 1]];
  if (!(error instanceof ServiceError) || error.code !== 'validation' || !base || !last) return error;
  return new ServiceError('validation', error.message, { hint: reachedHint(base.untilMs, last.untilMs), cause: error });
};

const readPoint = (at: string): number | null => {
  const ms = at === LATEST ? null : parseInstant(at);
  if (ms !== null || at === LATEST) return ms;
  throw new ServiceError('validation', '--at is no point in time', {
    hint: 'write it as 2026-11-26T12:00:00Z, or "latest" for the last one of all',
  });
};
