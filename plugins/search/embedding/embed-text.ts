import { entityDisplay } from '../../../kernel/internal-api.ts';
import { type StoredFact, valueText } from '../../../kernel/plugin-api.ts';

/** Facts of less confidence are found by their words alone. */
const LEAST_CONFIDENCE = 0.1;
/** The part of a text that current models read. The rest is cut off before the text is sent. */
const MAX_CHARACTERS = 8_192;

/** Changes with the text that stands for a fact; then all facts get new vectors. */
export const TEXT_VERSION = 1;

/** An erased fact has no content id, and nothing to embed. */
export const isEmbedded = ({ system, confidence, cid }: StoredFact): boolean =>
  !system && confidence >= LEAST_CONFIDENCE && cid !== '';

/** The text that stands for a fact: `{entity_display} {relation} {value_text}`. */
export const embedText = (fact: StoredFact): string =>
  `${entityDisplay(fact.entity)} ${fact.relation} ${valueText(fact.value)}`.slice(0, MAX_CHARACTERS).toWellFormed();
