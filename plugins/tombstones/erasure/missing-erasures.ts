import type { Logger, PluginTables } from '../../../kernel/plugin-api.ts';
import { withoutReason } from '../markers/marker-document.ts';
import { tombstoneById } from '../markers/marker-store.ts';
import { appendSigned, type ErasureRecord } from './erasure-journal.ts';
import { completeErasures } from './erasure-row.ts';
import type { RunParts } from './run-erasure.ts';

interface MissingParts extends Pick<RunParts, 'journal' | 'identity' | 'isSealed'> {
  readonly tables: PluginTables;
  readonly log: Logger;
}

/**
 * Adds the complete erasures of the store to the file, except those with a receipt in `inFile`. The file lacks those of
 * processes with another data folder, and would let a restored backup show their facts.
 */
export const addMissingErasures = async (inFile: ReadonlySet<string>, parts: MissingParts): Promise<void> => {
  const { tables, journal, identity, isSealed, log } = parts;
  const missing = await tables.read(async (own) => {
    const records: ErasureRecord[] = [];
    for (const { tenantId, tombstoneId, receipt } of await completeErasures(own)) {
      if (receipt === null || inFile.has(receipt.id)) continue;
      const tombstone = await tombstoneById(own, { tenantId, id: tombstoneId });
      if (tombstone === undefined) continue;
      records.push({ receipt, tombstone: isSealed ? withoutReason(tombstone, identity) : tombstone });
    }
    return records;
  });
  try {
    await appendSigned(journal, missing, identity);
  } catch (error) {
    log.warn('erasures could not be written beside the store; the next start tries again', { error });
  }
};
