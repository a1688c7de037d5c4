import { MAX_REPLACED } from '../../kernel/internal-api.ts';
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

const FACT_ID = /^[\x21-\x7e]{1,128}$/;

/** The facts that the new fact ends, and no others. */
export const REPLACES = defineAssertionMember('replaces', {
  summary: 'ids of the live facts of its triple and place that this one ends, if all of them are still live',
  schema: { type: ['array', 'null'], maxItems: MAX_REPLACED, uniqueItems: true, items: { type: 'string' } },
  read(input, path): readonly string[] | undefined {
    if (!Array.isArray(input)) throw memberRefusal(path, 'must be a list of fact ids');
    if (input.length > MAX_REPLACED) throw memberRefusal(path, `must not have more than ${MAX_REPLACED} entries`);
    for (const [at, id] of input.entries()) {
      if (typeof id !== 'string' || !FACT_ID.test(id)) throw memberRefusal(`${path}[${at}]`, 'must be a fact id');
      if (input.indexOf(id) < at) throw memberRefusal(`${path}[${at}]`, 'must not name a fact twice');
    }
    return input.length === 0 ? undefined : input;
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
