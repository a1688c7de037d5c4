import type { OwnedWord } from '../kernel/vocabulary/vocabulary.ts';
import { CONFLICT_ENTITIES, RESOLUTION_ENTITIES } from '../plugins/conflicts/conflicts-words.ts';
import { FACT_ENTITIES, INSTRUCTION, TTL } from '../plugins/facts/facts-words.ts';
import { MANIFEST } from '../plugins/instructions/instructions-words.ts';

/**
 * Names that the plugins of the package reserve, and interpretations that need a permission. They hold even while their
 * plugin is disabled: a client could otherwise assert a fact today that counts once the plugin is enabled again.
 */
export const RESERVED_WORDS: readonly OwnedWord[] = [
  { owner: 'conflicts', word: CONFLICT_ENTITIES },
  { owner: 'conflicts', word: RESOLUTION_ENTITIES },
  { owner: 'facts', word: FACT_ENTITIES },
  { owner: 'facts', word: TTL },
  { owner: 'facts', word: INSTRUCTION },
  { owner: 'instructions', word: MANIFEST },
];
