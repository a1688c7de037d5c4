import type { FactStore } from '../../ports/ports.ts';

/**
 * Every value of every table of a store as text, one line a row, under the name of the table. For finding text that
 * must not be there.
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

/** Bytes as they are, so that text in them is found. */
const asText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
