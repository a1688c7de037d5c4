import type { OwnedWord } from '../kernel/vocabulary/vocabulary.ts';
import { CONFLICT_ENTITIES, RESOLUTION_ENTITIES } from '../plugins/conflicts/conflicts-words.ts';
import { FACT_ENTITIES, INSTRUCTION, TTL } from '../plugins/facts/facts-words.ts';
import { MANIFEST } from '../plugins/instructions/instructions-words.ts';

/**
 * What the plugins that come with the node keep from clients: reserved names, and interpretations that need a
 * permission. They hold while their plugin is off as well: what a client could assert today would count once the plugin
 * is on again.
 */
export const KEPT_WORDS: readonly OwnedWord[] = [
  { owner: 'conflicts', word: CONFLICT_ENTITIES },
  { owner: 'conflicts', word: RESOLUTION_ENTITIES },
  { owner: 'facts', word: FACT_ENTITIES },
  { owner: 'facts', word: TTL },
  { owner: 'facts', word: INSTRUCTION },
  { owner: 'instructions', word: MANIFEST },
];
