import { join } from 'node:path';
import { readJournal } from '../../kernel/internal-api.ts';
import { type NodeSettings, parseInstant } from '../../kernel/plugin-api.ts';

/** The data folder of a node and the journals that it may hold. */
export type JournalFolder = Pick<NodeSettings, 'dataFolder' | 'journals'>;

/** Returns the paths of the journals that record erasures. */
export const erasureFilesOf = async ({ dataFolder, journals }: JournalFolder): Promise<readonly string[]> =>
  (await journals()).flatMap(({ file, holdsErasures }) => (holdsErasures ? [join(dataFolder, file)] : []));

/**
 * Returns the ends of the erasures in journals, in milliseconds since the epoch. Skips malformed lines, and repeated
 * receipts: a process writes one again if another was killed while it completed the erasure.
 */
export const erasureInstants = async (files: readonly string[]): Promise<number[]> => {
  const found: number[] = [];
  const signatures = new Set<unknown>();
  for await (const { receipt, erased_at: tenantGone, ...line } of receiptLines(files)) {
    const signature = receipt?.signature ?? line.signature;
    if (signature !== undefined && signatures.has(signature)) continue;
    signatures.add(signature);
    const text = receipt?.created_at ?? tenantGone;
    const ms = typeof text === 'string' ? parseInstant(text) : undefined;
    if (typeof ms === 'number') found.push(ms);
  }
  return found;
};

/** Returns the tenants that were erased. A restored store erases them again by its journal. */
export const erasedTenants = async (node: JournalFolder): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  for await (const { tenant_id: id, erased_at: erasedAt } of receiptLines(await erasureFilesOf(node))) {
    if (typeof id === 'string' && erasedAt !== undefined) found.add(id);
  }
  return found;
};

/** The receipt of a fact is a member of its line. The receipt of a tenant is the line itself. */
interface ReceiptLine {
  readonly receipt?: { readonly created_at?: unknown; readonly signature?: unknown };
  readonly signature?: unknown;
  readonly erased_at?: unknown;
  readonly tenant_id?: unknown;
}

async function* receiptLines(files: readonly string[]): AsyncGenerator<ReceiptLine> {
  for (const file of files) {
    for await (const { text } of readJournal(file)) {
      const parsed = text === undefined ? undefined : parse(text);
      if (parsed !== undefined) yield parsed;
    }
  }
}

const parse = (line: string): ReceiptLine | undefined => {
  try {
    return (JSON.parse(line) as ReceiptLine | null) ?? undefined;
  } catch {
    return undefined;
  }
};
