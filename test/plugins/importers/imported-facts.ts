import { cpSync, utimesSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUILTIN_FORMATS } from '../../../plugins/importers/builtin-formats.ts';
import { createDraftFacts } from '../../../plugins/importers/draft-facts.ts';
import { openInput } from '../../../plugins/importers/import-input.ts';
import { importSettings } from '../../../plugins/importers/import-settings.ts';
import type { ImportFormat, ImportReader } from '../../../plugins/importers/importers-api.ts';
import { projectRoot } from '../../architecture/source-files.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const SAMPLES = join(projectRoot(), 'test/plugins/importers/samples');

export const samplePath = (name: string): string => join(SAMPLES, name);

/** Copies the samples to a folder, and sets a fixed modification time on the notes without a date. */
export const copySamples = (folder: string): string => {
  cpSync(SAMPLES, folder, { recursive: true });
  for (const name of ['plans/Tea Rituals.md', 'broken.md']) {
    utimesSync(join(folder, 'notes', name), 1_740_000_000, 1_740_000_000);
  }
  return folder;
};

export interface Read {
  /** The facts as the importer would send them. */
  readonly facts: readonly Readonly<Record<string, unknown>>[];
  /** Lines of the form `place: reason`, with a final `!` if the item is damaged. */
  readonly skips: readonly string[];
  /** Lines of the form `place: remark`. */
  readonly remarks: readonly string[];
}

/** The time of the runs in tests. */
export const NOW_MS = Date.parse('2026-06-01T12:00:00Z');

export interface ReadOptions {
  readonly map?: readonly string[];
  readonly offset?: string;
  readonly encoding?: string;
}

export const readImport = async (
  format: Pick<ImportFormat, 'load'>,
  path: string,
  { map = [], offset = 'Z', encoding }: ReadOptions = {},
): Promise<Read> => {
  const read: ImportReader = await format.load();
  const drafts = createDraftFacts({ scope: 'local', garden: undefined, sourcePrefix: '' });
  const facts: Readonly<Record<string, unknown>>[] = [];
  const skips: string[] = [];
  const remarks: string[] = [];
  const settings = importSettings({ map, utcOffset: offset, nowMs: NOW_MS });
  for await (const item of read(await openInput(path, encoding), settings)) {
    if ('skipped' in item) skips.push(`${item.at}: ${item.skipped}${item.isBroken ? '!' : ''}`);
    else if ('remark' in item) remarks.push(`${item.at}: ${item.remark}`);
    else facts.push(drafts.factOf(item));
  }
  return { facts, skips, remarks };
};

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Reads files by name, from a folder that holds nothing else. */
export const readFiles = (id: string, files: Files, options: ReadOptions = {}): Promise<Read> =>
  inTemporaryFolder(async (folder) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    const format = BUILTIN_FORMATS.find((one) => one.id === id);
    if (format === undefined) throw new Error(`no format ${id}`);
    return readImport(format, folder, options);
  });

export const json = (value: unknown): string => JSON.stringify(value);
/** Some members of each fact; `v` is its value. */
export const factsAs = ({ facts }: Read, ...members: readonly string[]) =>
  facts.map((fact) => members.map((name) => (name === 'v' ? (fact['value'] as { v: unknown }).v : fact[name])));
export const reasons = ({ skips }: Read): readonly string[] => skips.map((line) => line.split(': ').at(-1) ?? '');
