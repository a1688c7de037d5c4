import type { FactStore } from '../../ports/ports.ts';

/**
 * Returns every value of every table of a store as text, one row per line, so that a test can search for forbidden
 * text.
 */
export const storedText = (store: FactStore): Promise<string> =>
  store.read(async (snapshot) => {
    const lines: string[] = [];
    for (const table of await store.tables()) {
      for (const row of (await snapshot.table(table)) as Record<string, unknown>[]) {
        lines.push(`${table} ${Object.values(row).map(asText).join(' ')}`);
      }
    }
    return lines.join('\n');
  });

/** Decodes bytes as text, so that text in them is found. */
const asText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
