import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FactStore } from '../../../../ports/ports.ts';

/** Returns the table columns and the files that contain any of the texts or bytes, also as hexadecimal digits. */
export const findTraces = async (
  store: FactStore,
  folder: string | undefined,
  needles: readonly (string | Uint8Array)[],
): Promise<readonly string[]> => {
  const wanted = needles.flatMap(formsOf);
  const found: string[] = [];
  for (const table of await store.tables()) {
    const rows = (await store.table(table).select()) as readonly Readonly<Record<string, unknown>>[];
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        if (holdsAny(bytesOf(value), wanted)) found.push(`${table}.${column}`);
      }
    }
  }
  if (folder === undefined) return found;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    if (holdsAny(await readFile(file), wanted)) found.push(file.slice(folder.length + 1));
  }
  return found;
};

const formsOf = (needle: string | Uint8Array): Buffer[] => {
  if (typeof needle !== 'string') return [Buffer.from(needle), Buffer.from(Buffer.from(needle).toString('hex'))];
  const text = Buffer.from(needle);
  const digits = /^sha256:([0-9a-f]{64})$/.exec(needle)?.[1];
  const forms = [text, Buffer.from(text.toString('hex')), Buffer.from(needle.toLowerCase())];
  return digits === undefined ? forms : [...forms, Buffer.from(digits), Buffer.from(digits, 'hex')];
};

const bytesOf = (value: unknown): Buffer =>
  value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value ?? ''));

const holdsAny = (bytes: Buffer, wanted: readonly Buffer[]): boolean => wanted.some((needle) => bytes.includes(needle));
