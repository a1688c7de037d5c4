import { cpSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createDraftFacts } from '../../../plugins/importers/draft-facts.ts';
import { openInput } from '../../../plugins/importers/import-input.ts';
import type { ImportFormat, ImportReader } from '../../../plugins/importers/importers-api.ts';
import { originInstant } from '../../../plugins/importers/origin-values.ts';
import { projectRoot } from '../../architecture/source-files.ts';

const SAMPLES = join(projectRoot(), 'test/plugins/importers/samples');

export const samplePath = (name: string): string => join(SAMPLES, name);

/** Copies the samples to a folder, and sets a fixed modification time on a note without its own date. */
export const copySamples = (folder: string): string => {
  cpSync(SAMPLES, folder, { recursive: true });
  utimesSync(join(folder, 'notes/plans/Tea Rituals.md'), 1_740_000_000, 1_740_000_000);
  return folder;
};

export interface Read {
  /** The facts as the importer would send them. */
  readonly facts: readonly Readonly<Record<string, unknown>>[];
  /** Lines of the form `place: reason`, with a final `!` if the item is damaged. */
  readonly skips: readonly string[];
}

export const readImport = async (
  format: Pick<ImportFormat, 'load'>,
  path: string,
  { map = [], offset = 'Z' }: { readonly map?: readonly string[]; readonly offset?: string } = {},
): Promise<Read> => {
  const read: ImportReader = await format.load();
  const drafts = createDraftFacts({ scope: 'local', garden: undefined, sourcePrefix: '' });
  const facts: Readonly<Record<string, unknown>>[] = [];
  const skips: string[] = [];
  const settings = { map, instant: (value: unknown) => originInstant(value, offset) };
  for await (const item of read(await openInput(path), settings)) {
    if ('skipped' in item) skips.push(`${item.at}: ${item.skipped}${item.isBroken ? '!' : ''}`);
    else facts.push(drafts.factOf(item));
  }
  return { facts, skips };
};
