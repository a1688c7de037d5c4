import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createFolderObjects } from '../../../adapters/files/folder-objects.ts';
import { assembleFile } from '../../../adapters/sqlite/assemble-file.ts';
import { chosenPoint, readIncrements } from '../../../plugins/backup/increment-chains.ts';
import { readIncrementName } from '../../../ports/ports.ts';

/** Returns the names of the chains of increments in a target, the oldest first. */
export const chainsIn = (target: string): string[] =>
  existsSync(target)
    ? readdirSync(target)
        .filter((name) => name.startsWith('increments-'))
        .sort()
    : [];

/** Returns the names of the increments of a chain, the oldest first. */
export const incrementsIn = (target: string, chain: string): string[] =>
  readdirSync(join(target, chain))
    .filter((name) => readIncrementName(name) !== undefined)
    .sort();

/** Restores a point in time into an empty folder, and returns the texts of its table `notes` without ticks. */
export const restoredNotes = async ({
  target,
  into,
  atMs,
  nowMs,
}: {
  readonly target: string;
  readonly into: string;
  /** Null for the last commit of all. */
  readonly atMs: number | null;
  readonly nowMs: number;
}): Promise<string[]> => {
  const objects = createFolderObjects(target);
  const chosen = await chosenPoint(objects, atMs, nowMs);
  const increments = readIncrements(objects, chosen, () => {});
  await assembleFile({ chain: chosen.chain, increments, untilMs: chosen.untilMs, folder: into });
  const copy = new DatabaseSync(join(into, 'store.db'));
  const rows = copy.prepare("SELECT text FROM notes WHERE text <> 'tick'").all() as { readonly text: string }[];
  copy.close();
  return rows.map(({ text }) => text);
};
