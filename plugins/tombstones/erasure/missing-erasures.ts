import type { Logger, PluginTables, ReadableTables } from '../../../kernel/plugin-api.ts';
import { withoutReason } from '../markers/marker-document.ts';
import { tombstoneById } from '../markers/marker-store.ts';
import { appendSigned, type ErasureRecord } from './erasure-journal.ts';
import { completeErasures, tenantsWithErasures } from './erasure-row.ts';
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
  const { tables, journal, identity, log } = parts;
  for (const tenantId of await tables.read(tenantsWithErasures)) {
    let after: string | null = '';
    while (after !== null) {
      const page = { after, limit: AT_ONCE };
      const part: Records = await tables.read((own) => recordsOf(own, tenantId, page, { ...parts, inFile }));
      try {
        await appendSigned(journal, part.records, identity);
      } catch (error) {
        log.warn('erasures could not be written beside the store; the next start tries again', { error });
        return;
      }
      after = part.next;
    }
  }
};

interface Records {
  readonly records: readonly ErasureRecord[];
  /** Where the next ones begin; null after the last ones. */
  readonly next: string | null;
}

/** How many erasures are held in memory. */
const AT_ONCE = 500;

const recordsOf = async (
  own: ReadableTables,
  tenantId: string,
  page: { readonly after: string; readonly limit: number },
  {
    inFile,
    identity,
    isSealed,
  }: Pick<MissingParts, 'identity' | 'isSealed'> & { readonly inFile: ReadonlySet<string> },
): Promise<Records> => {
  const { erasures, next } = await completeErasures(own, tenantId, page);
  const records: ErasureRecord[] = [];
  for (const { tombstoneId, receipt } of erasures) {
    if (receipt === null || inFile.has(receipt.id)) continue;
    const tombstone = await tombstoneById(own, { tenantId, id: tombstoneId });
    if (tombstone === undefined) continue;
    records.push({ receipt, tombstone: isSealed ? withoutReason(tombstone, identity) : tombstone });
  }
  return { records, next };
};
