import { memberRefusal } from '../../kernel/plugin-api.ts';
import { defineAssertionMember, SumsUp } from './facts-api.ts';
import { readDerivations } from './read-derivations.ts';

/** What the fact was derived from, as it was written; clients send an empty list with every assertion. */
export const DERIVED_FROM = defineAssertionMember('derived_from', {
  summary: 'facts that this one was derived from, by content id or by id',
  schema: { items: { properties: { fact_id: {}, hash: {} } } },
  read(input, path) {
    const derivations = readDerivations(input, path);
    return derivations.length === 0 ? undefined : derivations;
  },
});

export const WRITE_MODE = defineAssertionMember('write_mode', {
  summary: 'assert, or summarize_with_provenance where the fact sums up those it was derived from',
  schema: {},
  note: SumsUp,
  read(input, path) {
    if (input === 'assert') return undefined;
    if (input === 'summarize_with_provenance') return true;
    throw memberRefusal(path, 'must be assert or summarize_with_provenance');
  },
});
