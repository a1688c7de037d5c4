import { formatHlc, isIntact, namesInText, parseHlc, ZERO_HLC } from '../../kernel/internal-api.ts';
import { above, all, type ErasureSweep, equals, isNull, not, type StoredFact } from '../../kernel/plugin-api.ts';
import { MANIFEST } from './instructions-words.ts';
import { manifestOf } from './manifest-json.ts';

const MANIFESTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 8 * 1024 * 1024;

/** Erases manifests that pin an erased text, because they hold its content id. */
export const sweepManifests: ErasureSweep = {
  name: 'instructions manifests',
  async step({ tenantId, named }, after, transaction) {
    const filter = all(
      equals('tenantId', tenantId),
      equals('relationKey', MANIFEST.id),
      not(isNull('cid')),
      above('feed', (after === null ? null : parseHlc(after)) ?? ZERO_HLC),
    );
    const page = { order: 'feed', limit: MANIFESTS_AT_ONCE, maxBytes: BYTES_AT_ONCE } as const;
    const facts = await transaction.find({ filter, ...page });
    const pins = facts.map(pinnedIn);
    const erased = await named(pins.flat());
    const found = facts.filter((_, at) => pins[at]?.some((cid) => erased.has(cid))).map(({ id }) => id);
    const last = facts.at(-1);
    return {
      after: last === undefined ? null : formatHlc(last.feed),
      counts: { manifests: found.length },
      facts: found,
    };
  },
};

/** Returns all content ids in a manifest. Reads a damaged one as text, so that an erasure reaches it too. */
const pinnedIn = (fact: StoredFact): readonly string[] =>
  isIntact(fact)
    ? manifestOf(fact).units.flatMap(({ pinnedCid }) => pinnedCid ?? [])
    : namesInText(String(fact.value.v));
