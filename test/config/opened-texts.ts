import { openOrKeepStored } from '../../kernel/store/content-border.ts';
import type { ContentSeal } from '../../ports/ports.ts';
import type { StoredRows } from '../plugins/backup/backup-place.ts';

/** Returns what a thief of rows reads in a table of a plugin with these keys. */
export const openedTexts = (rows: StoredRows, table: string, seal: ContentSeal): string => {
  const opened = (rows.get(table) ?? []).flatMap((line) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    return Object.entries(row).map(([column, text]) => {
      const place = { tenantId: String(row['tenant_id']), table, column, row: '' };
      return openOrKeepStored(String(text), () => seal.openText(place, String(text)));
    });
  });
  return opened.join('\n');
};
