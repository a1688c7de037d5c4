import type { OwnedWord } from '../kernel/vocabulary/vocabulary.ts';
import { CONFLICT_ENTITIES, RESOLUTION_ENTITIES } from '../plugins/conflicts/conflicts-words.ts';
import { FACT_ENTITIES, TTL } from '../plugins/facts/facts-words.ts';
import { MANIFEST } from '../plugins/instructions/instructions-words.ts';

/**
 * Reserved names of the plugins that come with the node. They hold while their plugin is off as well: what a client
 * could assert under them today would count as the node's own word once the plugin is on again.
 */
export const KEPT_WORDS: readonly OwnedWord[] = [
  { owner: 'conflicts', word: CONFLICT_ENTITIES },
  { owner: 'conflicts', word: RESOLUTION_ENTITIES },
  { owner: 'facts', word: FACT_ENTITIES },
  { owner: 'facts', word: TTL },
  { owner: 'instructions', word: MANIFEST },
];
