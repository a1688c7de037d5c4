import { formatHlc, isIntact, valueBytesOf, ZERO_HLC } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  equals,
  type Filter,
  type Hlc,
  isNull,
  not,
  type PluginSnapshot,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { portableFactJson } from './portable-fact-json.ts';
import type { TransferParts } from './tenant-transfer.ts';
import { type Exported, type LineSink, type TransferLine, tenantTransfer } from './transfer-api.ts';
import { endJson, expiryJson, headerJson } from './transfer-format-json.ts';

const FACTS_PER_PAGE = 64;
/** The maximum size of the values on one page, because one value may have a mebibyte. */
const BYTES_PER_PAGE = 1024 * 1024;
const ROWS_PER_PAGE = 500;

/**
 * Writes the whole tenant in feed order. Each page has its own snapshot, so a long export blocks nothing. Facts never
 * change, and the last snapshot, at the end of the feed, provides all changeable data. So the file shows the tenant at
 * one instant. It leaves out damaged facts, which no store would import, and counts them.
 */
export const exportTenant = async (parts: TransferParts, tenantId: string, sink: LineSink): Promise<Exported> => {
  const { tables, self, clock } = parts;
  const epoch = await tables.read((_own, snapshot) => snapshot.epoch());
  const header = { nodeId: self.nodeId, serviceName: self.names.name, tenantId, epoch };
  await sink([lineOf('header', headerJson(header, clock.nowMs()))], 0);
  let after: Hlc = ZERO_HLC;
  let exported = 0;
  let damaged = 0;
  for (let more = true; more; ) {
    const page = await tables.read(async (_own, snapshot) => {
      const facts = await readPage(snapshot, tenantId, after);
      const whole = facts.filter(isIntact);
      const lines = await factLines(snapshot, whole);
      exported += whole.length;
      // An erased fact, in a restored backup from before the erasure, is no damage.
      damaged += facts.filter((fact) => fact.cid !== '' && !whole.includes(fact)).length;
      after = facts.at(-1)?.feed ?? after;
      more = facts.length === FACTS_PER_PAGE || valueBytesOf(facts) >= BYTES_PER_PAGE;
      // Writes the lines outside the snapshot, because the reader may be slow. Only the last page is written within
      // one.
      if (more) return lines;
      if (lines.length > 0) await sink(lines, lines.length);
      await exportRest(parts, snapshot, tenantId, sink);
      return [];
    });
    if (page.length > 0) await sink(page, page.length);
  }
  await sink([lineOf('end', endJson(exported, damaged))], 0);
  return { facts: exported, damaged };
};

/** The facts of a tenant that can be restored, which excludes erased ones. */
export const exportedOf = (tenantId: string): Filter => all(equals('tenantId', tenantId), not(isNull('cid')));

const readPage = (snapshot: PluginSnapshot, tenantId: string, after: Hlc): Promise<StoredFact[]> =>
  snapshot.find({
    filter: all(exportedOf(tenantId), above('feed', after)),
    order: 'feed',
    limit: FACTS_PER_PAGE,
    maxBytes: BYTES_PER_PAGE,
  });

const factLines = async (snapshot: PluginSnapshot, facts: readonly StoredFact[]): Promise<string[]> => {
  const found = await snapshot.covers(facts);
  const covers = new Map(found.map((cover) => [cover.factId, cover]));
  return facts.map((fact) => lineOf('fact', portableFactJson(fact, covers.get(fact.id) ?? null)));
};

const exportRest = async (
  { hooks }: TransferParts,
  snapshot: PluginSnapshot,
  tenantId: string,
  sink: LineSink,
): Promise<void> => {
  for await (const lines of expiryPages(snapshot, tenantId)) {
    await sink(
      lines.map((line) => lineOf('expiry', line)),
      0,
    );
  }
  for (const section of await hooks.collect(tenantTransfer, {})) {
    for await (const lines of section.pages(snapshot, tenantId)) {
      await sink(
        lines.map((line) => lineOf(section.type, line)),
        0,
      );
    }
  }
};

async function* expiryPages(snapshot: PluginSnapshot, tenantId: string): AsyncGenerator<TransferLine[]> {
  for (let after = ''; ; ) {
    const page = await snapshot.expiriesAfter(tenantId, after, ROWS_PER_PAGE);
    yield page.map(({ factId, expiresMs, hlc }) => expiryJson({ factId, expiresMs, hlcText: formatHlc(hlc) }));
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_PER_PAGE) return;
    after = last.factId;
  }
}

const lineOf = (type: string, line: TransferLine): string => `${JSON.stringify({ type, ...line })}\n`;
