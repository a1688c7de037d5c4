import { join } from 'node:path';
import { readOrdinaryFile, replaceSecretFile } from '../../kernel/internal-api.ts';
import { formatInstant, parseInstant, type Random } from '../../kernel/plugin-api.ts';

const FILE = 'drill.json';
const MAX_BYTES = 64 * 1024;

/** The last drill, kept in the folder of backups. */
export interface DrillRecord {
  readonly isWhole: boolean;
  /** When the last drill ended that found the backup whole, in milliseconds since the epoch. Null before the first. */
  readonly lastWholeMs: number | null;
}

/** Remembers the outcome of a drill. */
export const recordDrill = async (
  folder: string,
  { isWhole, nowMs }: { readonly isWhole: boolean; readonly nowMs: number },
  random: Random,
): Promise<void> => {
  const lastMs = isWhole ? nowMs : ((await readDrill(folder))?.lastWholeMs ?? null);
  const stated = { ok: isWhole, last_success_at: lastMs === null ? null : formatInstant(lastMs) };
  await replaceSecretFile(join(folder, FILE), `${JSON.stringify(stated)}\n`, random);
};

/** Returns undefined before the first drill, and for a damaged file, which the next drill replaces. */
export const readDrill = async (folder: string): Promise<DrillRecord | undefined> => {
  const text = await readOrdinaryFile(join(folder, FILE), MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    const { ok, last_success_at: at } = JSON.parse(text.toString('utf8')) as Readonly<Record<string, unknown>>;
    if (typeof ok !== 'boolean') return undefined;
    return { isWhole: ok, lastWholeMs: typeof at === 'string' ? (parseInstant(at) ?? null) : null };
  } catch {
    return undefined;
  }
};
