import { hashText, TurnBudget } from '../../../kernel/internal-api.ts';
import type { EntryWithFact, SignedDocument } from '../audit-api.ts';
import { factEntryJson } from '../audit-entry-json.ts';

const PIECE_CHARACTERS = 256 * 1024;

/** The last line of an export. */
export interface ExportEnd {
  /**
   * A checkpoint that covers entries of the export. Null without one, and for callers who see only their own entries.
   */
  readonly checkpoint: SignedDocument | null;
}

/**
 * Yields JSON lines: one for each entry, and a last line without which the export is incomplete. Only callers who may
 * read all entries get number, detail and link, because the numbers reveal how much others write.
 */
export async function* exportLines(
  parts: AsyncIterable<readonly EntryWithFact[]>,
  showsAll: boolean,
  { checkpoint }: ExportEnd,
): AsyncGenerator<string, void, undefined> {
  const budget = new TurnBudget();
  let entries = 0;
  let piece = '';
  for await (const part of parts) {
    for (const one of part) {
      await budget.take();
      entries += 1;
      piece += `${JSON.stringify({ ...factEntryJson(one), ...(showsAll && linkJson(one)) })}\n`;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  yield `${piece}${JSON.stringify({ entries, checkpoint })}\n`;
}

/** The members that a link covers and other lists do not show; null for fact entries. `detail` is text. */
const linkJson = ({ entry: { seq, tenantId, detail, detailSalt, link } }: EntryWithFact) => ({
  seq,
  tenant_id: tenantId,
  detail,
  detail_salt: detailSalt,
  chain_seq: link?.seq ?? null,
  link_hash: link && hashText(link.hash),
});
