import { SHARE_JSON } from '../../kernel/internal-api.ts';
import { defineFactMark, type FactView, markOf, orNull } from '../../kernel/plugin-api.ts';

/** Trust in the source of a fact, from 0 to 1. Absent without rules. */
export const SOURCE_TRUST = defineFactMark<number>('source-trust', {
  summary: 'how far the source is trusted, and what is left of the confidence',
  members: { source_trust: orNull(SHARE_JSON), effective_confidence: orNull(SHARE_JSON) },
  toJson: (trust, { confidence }) => ({
    source_trust: trust ?? null,
    effective_confidence: trust === undefined ? null : confidence * trustFactor(trust),
  }),
});

/** The factor by which trust scales a confidence: at least half, and 1 for a trusted or unjudged source. */
export const trustFactor = (trust: number | undefined): number => (trust === undefined ? 1 : 0.5 + 0.5 * trust);

/** The confidence of the fact, weighed by the trust in its source. */
export const effectiveConfidence = (view: FactView): number =>
  view.fact.confidence * trustFactor(markOf(view, SOURCE_TRUST));
