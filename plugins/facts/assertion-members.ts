import { memberRefusal } from '../../kernel/plugin-api.ts';
import { defineAssertionMember, SummaryNote } from './facts-api.ts';
import { MAX_DERIVATIONS, readDerivations } from './read-derivations.ts';

/** References to the source facts of the new fact. Clients send an empty list with every assertion. */
export const DERIVED_FROM = defineAssertionMember('derived_from', {
  summary: 'facts that this one was derived from, by content id or by id',
  schema: {
    type: ['array', 'null'],
    maxItems: MAX_DERIVATIONS,
    items: {
      type: ['object', 'string'],
      pattern: '^(?:[sS][hH][aA]256:)?[0-9a-fA-F]{64}$',
      properties: { fact_id: { type: ['string', 'null'] }, hash: { type: ['string', 'null'] } },
    },
  },
  read(input, path) {
    const derivations = readDerivations(input, path);
    return derivations.length === 0 ? undefined : derivations;
  },
});

export const WRITE_MODE = defineAssertionMember('write_mode', {
  summary: 'assert, or summarize_with_provenance where the fact sums up those it was derived from',
  schema: {
    type: ['string', 'null'],
    enum: ['assert', 'summarize_with_provenance', null],
    default: 'assert',
  },
  note: SummaryNote,
  read(input, path) {
    if (input === 'assert') return undefined;
    if (input === 'summarize_with_provenance') return true;
    throw memberRefusal(path, 'must be assert or summarize_with_provenance');
  },
});
