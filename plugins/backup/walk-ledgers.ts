import { all, equals, isIn, type PluginSnapshot, type PluginTables, ServiceError } from '../../kernel/plugin-api.ts';
import type { LedgerVisitor } from './backup-api.ts';

/** Entries per page. All facts of a page are in memory at the same time. */
const PAGE = 250;

/** A visitor that never throws an error of the store. */
export interface WalkVisitor extends Required<LedgerVisitor> {
  /** Called when the store cannot read the next page: the walk leaves out the rest of the tenant. */
  unreadable(error: ServiceError): void;
}

export interface LedgerWalk {
  /** The tenants with their last ledger numbers. */
  readonly ends: readonly { readonly tenantId: string; readonly number: number }[];
  readonly visitors: readonly WalkVisitor[];
  /** Gets how many numbers of the ledgers lie behind the walk. */
  onProgress(done: number): void;
}

/** Reads every ledger once, page by page, and shows each page to all visitors. */
export const walkLedgers = async (tables: PluginTables, { ends, visitors, onProgress }: LedgerWalk): Promise<void> => {
  let before = 0;
  for (const { tenantId, number: end } of ends) {
    for (let above = 0; above < end; ) {
      const from = above;
      const last = await attempt(
        () => tables.read((_own, snapshot) => showPage({ tenantId, above: from, snapshot }, visitors)),
        visitors,
      );
      above = last ?? end;
      onProgress(before + Math.min(above, end));
    }
    for (const visitor of visitors) await visitor.end(tenantId);
    before += end;
  }
};

const attempt = async <T>(read: () => Promise<T>, visitors: readonly WalkVisitor[]): Promise<T | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    for (const visitor of visitors) visitor.unreadable(error);
    return undefined;
  }
};

/** Returns the number of the last entry; undefined for an empty page. */
const showPage = async (
  {
    tenantId,
    above,
    snapshot,
  }: { readonly tenantId: string; readonly above: number; readonly snapshot: PluginSnapshot },
  visitors: readonly WalkVisitor[],
): Promise<number | undefined> => {
  const entries = await snapshot.ledger({ tenantId, above, order: 'oldest', limit: PAGE });
  if (entries.length === 0) return undefined;
  const ids = entries.map(({ factId }) => factId);
  const filter = all(equals('tenantId', tenantId), isIn('id', ids));
  const facts = await snapshot.find({ filter, order: 'feed', limit: ids.length });
  const page = { tenantId, entries, facts, covers: await snapshot.covers(facts), snapshot };
  for (const visitor of visitors) await visitor.page(page);
  return entries.at(-1)?.number;
};
