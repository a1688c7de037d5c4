import { shellQuote } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { type OpenedInput, openInput } from './import-input.ts';
import type { ImportFormat, ImportSettings } from './importers-api.ts';

/** Items at the start of the input that show its format. */
const MAX_ITEMS = 200;

interface Glance {
  readonly facts: number;
  readonly broken: number;
  /** True after an item that only the format has, also one without importable content. */
  readonly fits: boolean;
}

/** Reads the start of an input as an export of the format. Damage ends the glance. */
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
    // The run itself reports the faults of an input of its format.
  }
  return { facts, broken, fits: facts + neutral > 0 };
};

/**
 * Refuses an input that has nothing of the format, if its start shows another one. Throws `validation` with the command
 * for that format. Any other fault is left to the run.
 */
export const refuseOtherFormat = async (
  format: ImportFormat,
  formats: readonly ImportFormat[],
  path: string,
  { encoding, settings }: { readonly encoding: string | undefined; readonly settings: ImportSettings },
): Promise<void> => {
  // An input of its own, because the run counts the bytes that it reads.
  const input = await openInput(path, encoding);
  if ((await glanceAt(format, input, settings)).fits) return;
  let best: { readonly id: string; readonly score: number } | undefined;
  for (const other of formats.filter(({ id }) => id !== format.id)) {
    const { facts, broken } = await glanceAt(other, input, settings);
    const score = facts - broken;
    if (score > (best?.score ?? 0)) best = { id: other.id, score };
  }
  const guess = best?.id ?? ((await isTable(input)) && format.id !== 'csv' ? 'csv' : undefined);
  if (guess === undefined) return;
  throw new ServiceError('validation', `the input looks like an export of the format ${guess}, not ${format.id}`, {
    hint: `try "fact-memory-node import-from ${guess} ${shellQuote(path)}${guess === 'csv' ? ' --map …' : ''}"`,
  });
};

/** A table needs `--map`, so that only the names of its files show it. */
const isTable = async (input: OpenedInput): Promise<boolean> => {
  let files = 0;
  for await (const { path } of input.files()) {
    if (!/\.[ct]sv$/i.test(path)) return false;
    files += 1;
  }
  return files > 0;
};
