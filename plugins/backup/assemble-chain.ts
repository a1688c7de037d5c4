import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { OfflineStore } from '../../kernel/internal-api.ts';
import {
  type Clock,
  formatInstant,
  type NodeSettings,
  type ObjectStores,
  parseInstant,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { createOwnFolder, namesIn } from './backup-folder.ts';
import { type ChainGap, type ChosenPoint, chosenPoint, reachedHint, readIncrements } from './increment-chains.ts';
import type { Manifest } from './manifest-json.ts';

const LATEST = 'latest';
const DIGITS = 8;

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

/** Where a store is put together, and the node that it is put together for. */
export interface AssemblyPlace {
  /** The folder of backups, which several nodes may share. */
  readonly folder: string;
  readonly node: Pick<NodeSettings, 'dataFolder'>;
}

/** Runs work with a folder that has the store as of a point in time, and that is removed afterwards. */
export const withPoint = async <T>(
  place: AssemblyPlace,
  request: PointRequest,
  work: (path: string, manifest: Manifest) => Promise<T>,
): Promise<T> => {
  await createOwnFolder(place.folder);
  const path = await mkdtemp(join(place.folder, assemblyName(place)));
  try {
    const { chain, atMs, copy } = await assembled(request, path);
    if (copy === null) throw new Error('the chain was put together without a copy');
    return await work(path, { id: chain, createdAt: formatInstant(atMs), copy, keyFiles: [] });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
};

/**
 * Removes what killed restores of the same node have left: whole copies of its store, which no erasure reaches. Call it
 * only while no other process restores or backs up that store.
 */
export const removeAssemblies = async (place: AssemblyPlace): Promise<void> => {
  const names = (await namesIn(place.folder)).filter((name) => name.startsWith(assemblyName(place)));
  for (const name of names) await rm(join(place.folder, name), { recursive: true, force: true });
};

const assemblyName = ({ node }: AssemblyPlace): string =>
  `chain-${sha256Hex(resolve(node.dataFolder)).slice(0, DIGITS)}-`;

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
