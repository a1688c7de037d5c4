import { ServiceError } from '../../kernel/plugin-api.ts';
import type { OpenedInput } from './import-input.ts';
import type { ImportFormat, ImportSettings } from './importers-api.ts';

/** The number of items at the start of the input that are examined. */
const MAX_ITEMS = 200;

interface Glance {
  readonly facts: number;
  readonly broken: number;
  /** True if an item occurred only in this format, even without importable content. */
  readonly fits: boolean;
}

/** Reads the start of an input as an export of the format. Stops at damaged data. */
const glanceAt = async (format: ImportFormat, input: OpenedInput, settings: ImportSettings): Promise<Glance> => {
  let [items, facts, broken, neutral] = [0, 0, 0, 0];
  try {
    const read = await format.load();
    for await (const item of read(input, settings)) {
      if ('skipped' in item) {
        if (item.isBroken) broken += 1;
        else if (item.isForeign !== true) neutral += 1;
      } else if ('entity' in item) facts += 1;
      items += 1;
      if (items === MAX_ITEMS) break;
    }
  } catch {
    // If the input has this format, the run itself reports its faults.
  }
  return { facts, broken, fits: facts + neutral > 0 };
};

/** Returns the format that the start of an input has; undefined if it has none. */
export const guessFormat = async (
  formats: readonly ImportFormat[],
  input: OpenedInput,
  settings: ImportSettings,
): Promise<ImportFormat | undefined> => {
  let best: { readonly format: ImportFormat; readonly score: number } | undefined;
  for (const format of formats) {
    const { facts, broken } = await glanceAt(format, input, settings);
    const score = facts - broken;
    if (score > (best?.score ?? 0)) best = { format, score };
  }
  return best?.format ?? ((await isTable(input)) ? formats.find(({ id }) => id === 'csv') : undefined);
};

interface OtherFormat {
  /** Opens the input once more, because the run counts the bytes that it reads. */
  open(): Promise<OpenedInput>;
  readonly settings: ImportSettings;
  /** Returns the advice for an input that has this format. */
  hintFor(guess: string): string;
}

/**
 * Refuses an input that has no item of the chosen format, if its start has another one. Throws `validation` with advice
 * for that format. Leaves all other faults to the run.
 */
export const refuseOtherFormat = async (
  format: ImportFormat,
  formats: readonly ImportFormat[],
  { open, settings, hintFor }: OtherFormat,
): Promise<void> => {
  const input = await open();
  if ((await glanceAt(format, input, settings)).fits) return;
  const others = formats.filter(({ id }) => id !== format.id);
  const guess = (await guessFormat(others, input, settings))?.id;
  if (guess === undefined) return;
  throw new ServiceError('validation', `the input looks like an export of the format ${guess}, not ${format.id}`, {
    hint: hintFor(guess),
  });
};

/** Recognises tables by their file names, because reading them needs `--map`. */
const isTable = async (input: OpenedInput): Promise<boolean> => {
  let files = 0;
  for await (const { path } of input.files()) {
    if (!/\.[ct]sv$/i.test(path)) return false;
    files += 1;
  }
  return files > 0;
};
