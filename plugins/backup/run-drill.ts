import { once } from 'node:events';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStore, SpareNode } from '../../kernel/internal-api.ts';
import type { Random } from '../../kernel/plugin-api.ts';
import { StoreSamples, StoreVerification, type VerifiedStore } from './backup-api.ts';
import { manifestIn, pathOfBackup } from './backup-folder.ts';
import { checkBackup } from './check-files.ts';
import { compareSamples, countErased, type SampleDifference } from './compare-samples.ts';
import { inDrillPlace, requireRoom } from './drill-place.ts';
import { erasedTenants, type JournalFolder } from './erasure-journals.ts';
import { fetchBackup } from './fetch-backup.ts';
import { KEY_FILE, type Manifest } from './manifest-json.ts';
import { manifestAt } from './target-backups.ts';

/** How many facts are compared with the store in use. */
const SAMPLE = 100;

export interface DrillParts {
  /** The folder of backups. */
  readonly folder: string;
  readonly node: JournalFolder;
  /** The node of the store in use. */
  readonly nodeId: string | null;
  readonly random: Random;
  /** The target that the backup lies in. Undefined for one of the folder. */
  readonly target: ObjectStore | undefined;
  /** Runs work with a node on a throw-away store, whose files lie in a folder. */
  spare<T>(folder: string, work: (spare: SpareNode) => Promise<T>): Promise<T>;
  /** Runs work with the samples of the store in use. */
  withLive<T>(work: (samples: StoreSamples) => Promise<T>): Promise<T>;
  /** Ends the drill, which then removes its place. */
  readonly signal: AbortSignal;
  onProgress(done: number, total: number | null, unit: string): void;
}

export interface DrillResult {
  readonly backup: string;
  readonly verified: VerifiedStore;
  readonly compared: number;
  /** How many of the compared facts were erased after the backup. */
  readonly erasedSince: number;
  readonly differences: readonly SampleDifference[];
}

/** Restores a backup into a throw-away place, checks the store there, and compares facts with the store in use. */
export const runDrill = (parts: DrillParts, backup: string): Promise<DrillResult> =>
  inDrillPlace({ ...parts, uuid: parts.random.uuid() }, async (place) => {
    const { folder, target, random, signal } = parts;
    const onProgress: DrillParts['onProgress'] = (done, total, unit) => {
      signal.throwIfAborted();
      parts.onProgress(done, total, unit);
    };
    const found =
      target === undefined ? await manifestIn(pathOfBackup(folder, backup)) : await manifestAt(target, backup);
    await requireRoom(folder, bytesOf(found) * (target === undefined ? 1 : 2));
    const path =
      target === undefined
        ? pathOfBackup(folder, backup)
        : await fetchBackup(target, backup, join(place, 'fetched'), (done, total) =>
            onProgress(done, total, 'bytes fetched'),
          );
    const manifest = await checkBackup(path, (done, total) => onProgress(done, total, 'bytes'));
    const data = join(place, 'data');
    await copyBeside(parts.node, data);
    let restoring: Promise<unknown> | undefined;
    const onSpare = async ({ store, withNode }: SpareNode) => {
      restoring = store.restore({
        folder: path,
        copy: manifest.copy,
        keysIn: target === undefined ? { folder } : { target },
        replaces: false,
        label: random.uuid().slice(0, 8),
        onProgress: (done, total) => parts.onProgress(done, total, 'bytes restored'),
      });
      await Promise.race([restoring, stopped(signal)]);
      return withNode({ verification: StoreVerification, samples: StoreSamples }, async ({ use }) => ({
        verified: await use.verification.run(({ done, total, unit }) => onProgress(done, total, unit)),
        restored: await use.samples.draw(SAMPLE),
      }));
    };
    // A stopped restore ends when its database goes, or with its file, and then writes no more into the place.
    const { verified, restored } = await parts.spare(data, onSpare).finally(() => restoring?.catch(() => {}));
    const live = await parts.withLive((samples) => samples.again(restored));
    const differences = compareSamples(restored, live, await erasedTenants(parts.node));
    const erasedSince = countErased(restored, live);
    return { backup: manifest.id, verified, compared: restored.length, erasedSince, differences };
  });

const stopped = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
};

const bytesOf = ({ copy, keyFiles }: Manifest): number =>
  [...copy.files, ...keyFiles].reduce((sum, { bytes }) => sum + bytes, 0);

/** Copies what an operator puts beside a restored store: the keys of the node, and the journals of erasures. */
const copyBeside = async ({ dataFolder, journals }: JournalFolder, to: string): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of (await readdir(dataFolder)).filter((one) => KEY_FILE.test(one))) {
    await copyFile(join(dataFolder, name), join(to, name));
  }
  for (const { file, holdsErasures } of await journals()) {
    if (!holdsErasures) continue;
    const path = join(to, file);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await copyFile(join(dataFolder, file), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
};
