import { type CheckedFact, type Expiry, parseHlc } from '../../kernel/internal-api.ts';
import { compareHlc, type Hlc, type PluginTransaction, ServiceError } from '../../kernel/plugin-api.ts';
import { readPortableFact } from './portable-fact-json.ts';
import type { TransferParts } from './tenant-transfer.ts';
import {
  EXPIRY_IMPORTED,
  type ImportedLines,
  type NumberedText,
  type TransferLine,
  type TransferSection,
} from './transfer-api.ts';
import { parseLine } from './transfer-format-json.ts';

export interface ImportParts extends TransferParts {
  readonly sections: ReadonlyMap<string, TransferSection>;
  readonly tenantId: string;
}

type Read =
  | { readonly kind: 'fact'; readonly checked: CheckedFact }
  | { readonly kind: 'expiry'; readonly expiry: NewExpiry }
  | { readonly kind: 'section'; readonly section: TransferSection; readonly line: TransferLine }
  | { readonly kind: 'end'; readonly facts: number };

type NewExpiry = Omit<Expiry, 'since'>;

type Refused = { number: number; reason: string }[];

/** Stores facts unchanged, without the phases of an append, because the export contains the data that those derived. */
export const importLines = async (parts: ImportParts, lines: readonly NumberedText[]): Promise<ImportedLines> => {
  const refused: Refused = [];
  const read = new Map<number, Read>();
  for (const { number, text } of lines) {
    await orRefuse(number, refused, async () => {
      read.set(number, readLine(parts, text));
    });
  }
  const facts = [...read].flatMap(([number, one]) => (one.kind === 'fact' ? [{ number, checked: one.checked }] : []));
  const counts = await parts.tables.write(parts.tenantId, async (_own, transaction) => {
    const found = await insertFacts(parts, transaction, facts, refused);
    const expiries = [...read.values()].flatMap((one) => (one.kind === 'expiry' ? [one.expiry] : []));
    await setExpiries(expiries, transaction, parts.clock.nowMs());
    for (const [number, one] of read) {
      if (one.kind === 'section') {
        await orRefuse(number, refused, async () => {
          await one.section.take(transaction, parts.tenantId, one.line);
        });
      }
    }
    return found;
  });
  const end = [...read.values()].find((one) => one.kind === 'end');
  return {
    facts: facts.length,
    ...counts,
    refused: refused.sort((a, b) => a.number - b.number),
    announced: end?.facts ?? null,
  };
};

const orRefuse = async (number: number, refused: Refused, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    // Only a refusal of the line is reported. Any other error is a failure of the store, and stops the import.
    if (!(error instanceof ServiceError) || error.code === 'unavailable' || error.code === 'commit_unknown')
      throw error;
    refused.push({ number, reason: error.message });
  }
};

const readLine = (parts: ImportParts, text: string): Read => {
  const { sections, restore, tenantId } = parts;
  const line = parseLine(text);
  const { type } = line;
  if (type === 'fact') return { kind: 'fact', checked: restore.check(readPortableFact(line), tenantId) };
  if (type === 'expiry') return { kind: 'expiry', expiry: readExpiry(parts, line) };
  if (type === 'end') return { kind: 'end', facts: Number(line['facts']) };
  const section = typeof type === 'string' ? sections.get(type) : undefined;
  if (section === undefined) throw invalid('of a type that no plugin of this node takes in');
  return { kind: 'section', section, line };
};

const insertFacts = async (
  { restore }: ImportParts,
  transaction: PluginTransaction,
  facts: readonly { readonly number: number; readonly checked: CheckedFact }[],
  refused: Refused,
): Promise<Pick<ImportedLines, 'stored' | 'known'>> => {
  const verdicts = await restore.insert(
    transaction,
    facts.map(({ checked }) => checked),
  );
  for (const [at, { number }] of facts.entries()) {
    if (verdicts[at] === 'taken') refused.push({ number, reason: 'another fact is stored under this id' });
  }
  const count = (wanted: 'stored' | 'known'): number => verdicts.filter((verdict) => verdict === wanted).length;
  return { stored: count('stored'), known: count('known') };
};

const readExpiry = ({ restore, tenantId }: ImportParts, line: TransferLine): NewExpiry => {
  const { fact_id: factId, expires_ms: expiresMs, hlc } = line;
  if (typeof factId !== 'string' || typeof expiresMs !== 'number' || !Number.isSafeInteger(expiresMs)) {
    throw invalid('not an expiry as an export holds it');
  }
  restore.checkStamp(String(hlc));
  return { tenantId, factId, expiresMs, hlc: parseHlc(String(hlc)) as Hlc };
};

/** Sets expiries. Announces those that change anything, because the facts that set them come earlier in the feed. */
const setExpiries = async (
  expiries: readonly NewExpiry[],
  transaction: PluginTransaction,
  nowMs: number,
): Promise<void> => {
  const found = await transaction.expiries(expiries.map(({ tenantId, factId: id }) => ({ tenantId, id })));
  const known = new Map(found.map((expiry) => [expiry.factId, expiry]));
  const changed = expiries.filter(({ factId, expiresMs, hlc }) => {
    const before = known.get(factId);
    return before === undefined || (compareHlc(hlc, before.hlc) || before.expiresMs - expiresMs) > 0;
  });
  if (changed.length === 0) return;
  const ids = changed.map(({ factId }) => factId);
  const since = await transaction.announce(EXPIRY_IMPORTED, ids, nowMs);
  for (const { factId, expiresMs, hlc } of changed) await transaction.setExpiry(factId, expiresMs, hlc, since);
};

const invalid = (message: string): ServiceError => new ServiceError('validation', message);
