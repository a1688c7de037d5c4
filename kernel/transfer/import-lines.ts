import { isIn, type PreparedFact, ServiceError, type StoredFact, type WriteTransaction } from '../../ports/ports.ts';
import { coverBy } from '../facts/cover-by.ts';
import { isTooFarAhead, parseHlc } from '../facts/hybrid-logical-clock.ts';
import { nameKeys } from '../facts/match-key.ts';
import { prepareFact } from '../facts/prepare-fact.ts';
import { stampFact } from '../facts/stamp-fact.ts';
import { nodePrincipal } from '../identity/node-principal.ts';
import { narrowTransaction } from '../store/narrow-transaction.ts';
import { type PortableFact, readPortableFact } from './portable-fact-json.ts';
import type { TransferParts } from './tenant-transfer.ts';
import { parseLine } from './transfer-format-json.ts';
import type { TransferLine, TransferSection } from './transfer-hooks.ts';

/** A line of an export, with its number in the file. */
export interface NumberedText {
  readonly number: number;
  readonly text: string;
}

/** What became of some lines. */
export interface ImportedLines {
  readonly facts: number;
  /** Facts that were new here. */
  readonly stored: number;
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
  /** Facts that the file says it holds, once its last line came by. */
  readonly announced: number | null;
}

export interface ImportParts extends TransferParts {
  readonly sections: ReadonlyMap<string, TransferSection>;
  readonly tenantId: string;
}

/** One damaged stamp must not drive the node's clock into a far future, from which it never comes back. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

type Read =
  | { readonly kind: 'fact'; readonly fact: PreparedFact; readonly cover: PortableFact['cover'] }
  | { readonly kind: 'expiry'; readonly line: TransferLine }
  | { readonly kind: 'section'; readonly section: TransferSection; readonly line: TransferLine }
  | { readonly kind: 'end'; readonly facts: number };

/** Stores facts as they are, past the hooks: what followed from them in the other store comes with them. */
export const importLines = async (parts: ImportParts, lines: readonly NumberedText[]): Promise<ImportedLines> => {
  const refused: { number: number; reason: string }[] = [];
  const read = new Map<number, Read>();
  const nowMs = parts.clock.nowMs();
  for (const { number, text } of lines) {
    await orRefuse(number, refused, async () => {
      read.set(number, readLine(parts, text, nowMs));
    });
  }
  const facts = [...read].flatMap(([number, one]) => (one.kind === 'fact' ? [{ number, ...one }] : []));
  const stored = await parts.store.write(parts.tenantId, async (transaction) => {
    const narrow = narrowTransaction(transaction);
    const count = await insertFacts(transaction, facts, nowMs, refused);
    for (const [number, one] of read) {
      if (one.kind === 'expiry') await orRefuse(number, refused, () => takeExpiry(transaction, one.line, nowMs));
      if (one.kind === 'section') {
        await orRefuse(number, refused, async () => {
          await one.section.take(narrow, parts.tenantId, one.line);
        });
      }
    }
    return count;
  });
  const end = [...read.values()].find((one) => one.kind === 'end');
  return {
    facts: facts.length,
    stored,
    refused: refused.sort((a, b) => a.number - b.number),
    announced: end?.facts ?? null,
  };
};

const orRefuse = async (
  number: number,
  refused: { number: number; reason: string }[],
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    // Anything but a verdict on the line is the store's failure, and stops the import.
    if (!(error instanceof ServiceError) || error.code === 'unavailable' || error.code === 'commit_unknown')
      throw error;
    refused.push({ number, reason: error.message });
  }
};

const readLine = (parts: ImportParts, text: string, nowMs: number): Read => {
  const line = parseLine(text);
  const { type } = line;
  if (type === 'fact') return readFact(parts, line, nowMs);
  if (type === 'expiry') return { kind: 'expiry', line };
  if (type === 'end') return { kind: 'end', facts: Number(line['facts']) };
  const section = typeof type === 'string' ? parts.sections.get(type) : undefined;
  if (section === undefined) throw invalid('of a type that no plugin of this node takes in');
  return { kind: 'section', section, line };
};

const readFact = ({ self, random, tenantId }: ImportParts, line: TransferLine, nowMs: number): Read => {
  const { draft, assertedBy, cid, cover } = readPortableFact(line);
  checkStamp(draft.hlcText, nowMs);
  const { names } = self;
  const node = nodePrincipal(names, tenantId);
  const keys = nameKeys(draft, names);
  const fact = { ...prepareFact(draft, keys, { caller: node, origin: 'peer' }, { names, random }), assertedBy };
  if (fact.cid !== cid)
    throw invalid('the fact does not match its content identifier: the file was changed or damaged');
  return { kind: 'fact', fact, cover };
};

const checkStamp = (text: string, nowMs: number): void => {
  const hlc = parseHlc(text);
  if (hlc === null) throw invalid('hlc is not a stamp');
  if (isTooFarAhead(hlc, nowMs, MAX_AHEAD_MS)) {
    throw invalid('hlc is more than a day ahead of the clock of this machine');
  }
};

interface FactOfLine {
  readonly number: number;
  readonly fact: PreparedFact;
  readonly cover: PortableFact['cover'];
}

const insertFacts = async (
  transaction: WriteTransaction,
  facts: readonly FactOfLine[],
  nowMs: number,
  refused: { number: number; reason: string }[],
): Promise<number> => {
  if (facts.length === 0) return 0;
  const ids = facts.map(({ fact }) => fact.id);
  const stored = await transaction.outline(isIn('id', ids));
  const known = new Map<string, PreparedFact | (typeof stored)[number]>(stored.map((fact) => [fact.id, fact]));
  const fresh: FactOfLine[] = [];
  for (const line of facts) {
    const twin = known.get(line.fact.id);
    if (twin === undefined) {
      known.set(line.fact.id, line.fact);
      fresh.push(line);
    } else if (twin.cid !== line.fact.cid || twin.tenantId !== line.fact.tenantId) {
      refused.push({ number: line.number, reason: 'another fact is stored under this id' });
    }
  }
  if (fresh.length === 0) return 0;
  let clock = await transaction.lockClock();
  const stamped = fresh.map(({ fact }): StoredFact => {
    const next = stampFact(fact, clock, nowMs);
    clock = next.feed;
    return next;
  });
  await transaction.insert(stamped);
  await transaction.saveClock(clock);
  await transaction.cover(
    stamped.flatMap((fact, at) => {
      const kind = fresh[at]?.cover ?? null;
      if (kind === null) return [];
      return [coverBy(fact, kind)];
    }),
  );
  return fresh.length;
};

const takeExpiry = async (transaction: WriteTransaction, line: TransferLine, nowMs: number): Promise<void> => {
  const { fact_id: factId, expires_ms: expiresMs, hlc: text } = line;
  if (typeof factId !== 'string' || typeof expiresMs !== 'number' || !Number.isSafeInteger(expiresMs)) {
    throw invalid('not an expiry as an export holds it');
  }
  checkStamp(String(text), nowMs);
  const hlc = parseHlc(String(text));
  if (hlc !== null) await transaction.setExpiry(factId, expiresMs, hlc);
};

const invalid = (message: string): ServiceError => new ServiceError('validation', message);
