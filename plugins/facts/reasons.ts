import { formatHlc, parseHlc, ZERO_HLC } from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  above,
  all,
  type ErasureSweep,
  equals,
  type FactDraft,
  isNull,
  memberRefusal,
  not,
  noteOf,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { defineAssertionMember } from './facts-api.ts';
import { ttlTarget } from './ttl-target.ts';

/** The maximum number of characters (code points) of a reason, a sentence or two. */
const MAX_REASON = 500;

/** Why somebody asserts or corrects a fact. */
export const REASON = defineAssertionMember('reason', {
  summary: 'the reason for this fact, in a sentence; the node keeps it in a system fact about this one',
  schema: { type: ['string', 'null'], maxLength: MAX_REASON },
  read(input, path): string | undefined {
    if (typeof input !== 'string') throw memberRefusal(path, 'must be a string');
    if (isLonger(input, MAX_REASON)) throw memberRefusal(path, `must not have more than ${MAX_REASON} characters`);
    const text = input.trim();
    if (text === '') throw memberRefusal(path, 'must say why; leave it out where there is no reason');
    return text;
  },
});

/** Counts code points, as the schema does. A code point takes at most two units. */
const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

const relationOf = (names: ServiceNames): string => names.meta('reason');

/**
 * Returns the system facts that hold the reasons of new facts. Each lies in the place of its fact, so that the same
 * readers see both. It never leaves the node.
 */
export const reasonFacts = ({ facts }: AppendedBatch, names: ServiceNames): FactDraft[] | undefined => {
  const drafts: FactDraft[] = [];
  for (const { fact, notes } of facts) {
    const reason = noteOf(notes, REASON.note);
    if (reason === undefined) continue;
    drafts.push({
      entity: names.factEntity(fact.id),
      relation: relationOf(names),
      value: { type: 'text', v: reason, interpretAs: 'content' },
      source: names.systemSource,
      confidence: 1,
      scope: fact.scope,
      gardenId: fact.gardenId,
    });
  }
  return drafts.length === 0 ? undefined : drafts;
};

const REASONS_AT_ONCE = 500;

/** Erases the reasons of erased facts, because people may quote values in them. */
export const sweepReasons = (names: ServiceNames): ErasureSweep => ({
  name: 'facts reasons',
  async step({ tenantId, named }, after, transaction) {
    const filter = all(
      equals('tenantId', tenantId),
      equals('relationKey', relationOf(names)),
      not(isNull('cid')),
      above('feed', (after === null ? null : parseHlc(after)) ?? ZERO_HLC),
    );
    const reasons = await transaction.find({ filter, order: 'feed', limit: REASONS_AT_ONCE });
    const subjects = reasons.map(({ entity }) => ttlTarget(entity, names));
    const erased = await named(subjects);
    const found = reasons.filter((_, at) => erased.has(subjects[at] ?? '')).map(({ id }) => id);
    const last = reasons.at(-1);
    return {
      after: last === undefined ? null : formatHlc(last.feed),
      counts: { reasons: found.length },
      facts: found,
    };
  },
});
