import { entityDisplay, valueText } from '../../../kernel/internal-api.ts';
import type { StoredFact } from '../../../kernel/plugin-api.ts';

/** Facts below this confidence get no vector. A search finds them by their words alone. */
const LEAST_CONFIDENCE = 0.1;
/** Texts are cut to the length that current models read. */
const MAX_CHARACTERS = 8_192;

/** The version of the text that represents a fact. A change gives all facts new vectors. */
export const TEXT_VERSION = 1;

/** An erased fact has no content id and no text to embed. */
export const isEmbedded = ({ system, confidence, cid }: StoredFact): boolean =>
  !system && confidence >= LEAST_CONFIDENCE && cid !== '';

/** The text that represents a fact: `{entity_display} {relation} {value_text}`. */
export const embedText = (fact: StoredFact): string =>
  `${entityDisplay(fact.entity)} ${fact.relation} ${valueText(fact.value)}`.slice(0, MAX_CHARACTERS).toWellFormed();
