import { hashText } from '../../../kernel/plugin-api.ts';
import type { EntryWithFact, SignedDocument } from '../audit-api.ts';
import { factEntryJson } from '../audit-entry-json.ts';

const PIECE_CHARACTERS = 256 * 1024;

/** What is behind the entries: a checkpoint that covers entries of the export. */
export interface ExportEnd {
  /** Null where there is none yet, and for callers who see their own entries alone. */
  readonly checkpoint: SignedDocument | null;
}

/**
 * JSON lines: an entry each, and one for the end, without which an export is cut off. Entries have their number, detail
 * and link for callers who may read all of them; others would learn by the numbers how much others write.
 */
export async function* exportLines(
  parts: AsyncIterable<readonly EntryWithFact[]>,
  showsAll: boolean,
  { checkpoint }: ExportEnd,
): AsyncGenerator<string, void, undefined> {
  let entries = 0;
  let piece = '';
  for await (const part of parts) {
    for (const one of part) {
      entries += 1;
      piece += `${JSON.stringify({ ...factEntryJson(one), ...(showsAll && linkJson(one)) })}\n`;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  yield `${piece}${JSON.stringify({ entries, checkpoint })}\n`;
}

/**
 * What the link is made of, besides what is shown anyway; null for entries of facts. `detail` is text, as in the link.
 */
const linkJson = ({ entry: { seq, tenantId, detail, link } }: EntryWithFact) => ({
  seq,
  tenant_id: tenantId,
  detail,
  chain_seq: link?.seq ?? null,
  link_hash: link && hashText(link.hash),
});
