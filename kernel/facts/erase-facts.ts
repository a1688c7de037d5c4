import {
  above,
  all,
  any,
  equals,
  type FactStore,
  type Filter,
  isIn,
  isNull,
  not,
  REDACTED_REFERENCE,
  type StoredFact,
  type WriteTransaction,
} from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { portions } from '../lists/portions.ts';
import { wideTransaction } from '../store/narrow-transaction.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';
import { formatHlc, parseHlc, ZERO_HLC } from '../time/hybrid-logical-clock.ts';
import {
  type ErasureCounts,
  type ErasurePosition,
  type ErasureSubject,
  type ErasureSweep,
  erasureFiles,
  erasureSweeps,
  type FactErasure,
  factErased,
  factRedacted,
  type SweptSubject,
} from './fact-erasure.ts';
import { valueCommitment } from './value-commitment.ts';
import { SALT_BYTES } from './write-records.ts';

/** The limits of one step: number of facts, and bytes of their values. */
const FACTS_AT_ONCE = 200;
const BYTES_AT_ONCE = 8 * 1024 * 1024;

export interface ErasureParts {
  readonly store: Pick<FactStore, 'scrub'>;
  readonly hooks: HookCaller;
  readonly random: Random;
}

type Step = Awaited<ReturnType<FactErasure['step']>>;

export const createFactErasure = (parts: ErasureParts): FactErasure => ({
  step(subject, { phase, at }, transaction) {
    if (phase === 'references') return redactReferences(parts, subject, at, transaction);
    if (phase === 'facts') return eraseFacts(parts, subject, at, transaction);
    return sweep(parts, subject, { phase, at }, transaction);
  },
  async erase(tenantId, factIds, transaction) {
    const facts = await factsNamed(factIds, tenantId, transaction);
    return facts.length === 0 ? {} : destroy(parts, facts, transaction);
  },
  async scrub() {
    // Rewrites the files of plugins first. Rewrites that are still running then leave out the erased facts.
    const limits = await parts.hooks.collect(erasureFiles, {});
    return [...new Set([...limits.flat(), ...(await parts.store.scrub())])];
  },
});

const begin = (phase: ErasurePosition['phase']): ErasurePosition => ({ phase, at: null });

/** Redacts references before the erasure of the facts, because their content ids identify the references. */
const redactReferences = async (
  { hooks }: ErasureParts,
  subject: ErasureSubject,
  at: string | null,
  transaction: PluginTransaction,
): Promise<Step> => {
  const { tenantId } = subject;
  const wide = wideTransaction(transaction);
  const page = await wide.references(tenantId, Number(at ?? 0), FACTS_AT_ONCE);
  const erased = await contentIds(wide, subject, new Set(page.flatMap(({ derivedFrom }) => derivedFrom)));
  const found = page.filter(({ derivedFrom }) => derivedFrom.some((cid) => erased.has(cid)));
  const redacted = found.map(({ id, derivedFrom }) => ({
    id,
    derivedFrom: derivedFrom.map((cid) => (erased.has(cid) ? REDACTED_REFERENCE : cid)),
  }));
  const facts = found.map(({ id, derivedFrom }) => ({ id, before: derivedFrom }));
  const counts = found.length === 0 ? [] : await hooks.collect(factRedacted, { tenantId, facts, transaction });
  await wide.redact(redacted);
  const last = page.at(-1);
  const isOver = last === undefined || page.length < FACTS_AT_ONCE;
  return {
    next: isOver ? begin('sweeps') : { phase: 'references', at: String(last.number) },
    counts: addCounts([{ references: found.length }, ...counts]),
  };
};

const contentIds = async (
  wide: WriteTransaction,
  subject: ErasureSubject,
  cids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  for (const some of portions([...cids], FACTS_AT_ONCE)) {
    const facts = await wide.outline(all(filterOf(subject), isIn('cid', some)));
    for (const { cid } of facts) found.add(cid);
  }
  return found;
};

const eraseFacts = async (
  parts: ErasureParts,
  subject: ErasureSubject,
  at: string | null,
  transaction: PluginTransaction,
): Promise<Step> => {
  const wide = wideTransaction(transaction);
  const after = (at === null ? null : parseHlc(at)) ?? ZERO_HLC;
  const filter = all(filterOf(subject), not(isNull('cid')), above('feed', after));
  const facts = await wide.find({ filter, order: 'feed', limit: FACTS_AT_ONCE, maxBytes: BYTES_AT_ONCE });
  const last = facts.at(-1);
  if (last === undefined) return { next: begin('last sweeps'), counts: {} };
  const counts = await destroy(parts, facts, transaction);
  return { next: { phase: 'facts', at: formatHlc(last.feed) }, counts };
};

/** Erases facts of one tenant, none of which is erased yet. */
const destroy = async (
  { hooks, random }: ErasureParts,
  facts: readonly StoredFact[],
  transaction: PluginTransaction,
): Promise<ErasureCounts> => {
  const { tenantId } = facts[0] as StoredFact;
  const wide = wideTransaction(transaction);
  const counts = await hooks.collect(factErased, { tenantId, facts, transaction });
  await wide.erase(await commitmentsOf(wide, facts, random));
  return addCounts([{ facts: facts.length }, ...counts]);
};

/**
 * Returns the commitments of the values, with the salt of the link, so that the chain still verifies, or a fresh salt
 * without a link. A restored backup may hold a fact whose key an erasure has destroyed: of that, only the commitment is
 * left.
 */
const commitmentsOf = async (
  wide: WriteTransaction,
  facts: readonly StoredFact[],
  random: Random,
): Promise<{ readonly id: string; readonly commitment: Uint8Array }[]> => {
  const { tenantId } = facts[0] as StoredFact;
  const entries = await wide.ledger({
    tenantId,
    filter: isIn(
      'id',
      facts.map(({ id }) => id),
    ),
    order: 'oldest',
    limit: facts.length,
    members: ['factId', 'salt', 'commitment'],
  });
  const byFact = new Map(entries.map((entry) => [entry.factId, entry]));
  return facts.map(({ id, value }) => {
    const { salt = null, commitment = null } = byFact.get(id) ?? {};
    return { id, commitment: commitment ?? valueCommitment(salt ?? random.bytes(SALT_BYTES), value) };
  });
};

const sweep = async (
  parts: ErasureParts,
  subject: ErasureSubject,
  { phase, at }: ErasurePosition,
  transaction: PluginTransaction,
): Promise<Step> => {
  const sweeps = (await parts.hooks.collect(erasureSweeps, {})).flat().sort(byName);
  const [name, after] = at === null ? [null, null] : (JSON.parse(at) as [string, string | null]);
  const current = sweeps.find((one) => name === null || one.name >= name);
  const over = { next: phase === 'sweeps' ? begin('facts') : null, counts: {} };
  if (current === undefined) return over;
  const step = await current.step(sweptBy(subject, transaction), current.name === name ? after : null, transaction);
  const following = step.after === null ? sweeps[sweeps.indexOf(current) + 1] : current;
  const repeating = await factsNamed(step.facts ?? [], subject.tenantId, transaction);
  const counts =
    repeating.length === 0 ? step.counts : addCounts([step.counts, await destroy(parts, repeating, transaction)]);
  if (following === undefined) return { ...over, counts };
  return { next: { phase, at: JSON.stringify([following.name, step.after]) }, counts };
};

const factsNamed = async (
  ids: readonly string[],
  tenantId: string,
  transaction: PluginTransaction,
): Promise<StoredFact[]> => {
  if (ids.length === 0) return [];
  const filter = all(equals('tenantId', tenantId), isIn('id', ids), not(isNull('cid')));
  return transaction.find({ filter, order: 'feed', limit: ids.length });
};

const byName = (one: ErasureSweep, other: ErasureSweep): number => (one.name < other.name ? -1 : 1);

const sweptBy = (subject: ErasureSubject, transaction: PluginTransaction): SweptSubject => ({
  ...subject,
  async named(texts) {
    const wide = wideTransaction(transaction);
    const asked = new Set(texts);
    const found = new Set<string>();
    for (const some of portions([...asked], FACTS_AT_ONCE)) {
      const filter = all(filterOf(subject), any(isIn('id', some), isIn('cid', some)));
      for (const { id, cid } of await wide.outline(filter)) {
        for (const text of [id, cid]) if (asked.has(text)) found.add(text);
      }
    }
    return found;
  },
});

const filterOf = ({ tenantId, entityKey, scopes, filter }: ErasureSubject): Filter =>
  all(equals('tenantId', tenantId), equals('entityKey', entityKey), isIn('scope', scopes), filter);

export const addCounts = (parts: readonly ErasureCounts[]): ErasureCounts => {
  const sums: Record<string, number> = {};
  for (const part of parts) {
    for (const [word, count] of Object.entries(part)) sums[word] = (sums[word] ?? 0) + count;
  }
  return sums;
};
