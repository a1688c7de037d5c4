import type { MigrationSchema } from '../../../ports/ports.ts';
import { NEXT_FACTS } from './begin-copy.ts';
import { NEXT_LEDGERS } from './next-ledgers.ts';
import { bytesOf } from './old-chain.ts';
import { OLD_LINKS } from './old-tables.ts';

/**
 * A chain whose last facts somebody has removed would be whole again without their links. Its last fact gets the hash
 * of the last old link, so that it stays broken.
 */
export const keepMissingFacts = async ({ data }: MigrationSchema): Promise<void> => {
  const ledgers = (await data.table(NEXT_LEDGERS)) as { tenant_id: string; linked_number: number; link_seq: number }[];
  for (const { tenant_id, linked_number, link_seq } of ledgers) {
    const last = data
      .table(OLD_LINKS)
      .where({ tenant_id })
      .where('chain_seq', '>', link_seq ?? 0);
    const [link] = (await last.orderBy('chain_seq', 'desc').limit(1)) as { link_hash: string }[];
    if (link === undefined) continue;
    const hash = { link_hash: bytesOf(link.link_hash) };
    await data.table(NEXT_FACTS).where({ tenant_id, number: linked_number }).update(hash);
    await data.table(NEXT_LEDGERS).where({ tenant_id }).update(hash);
  }
};
