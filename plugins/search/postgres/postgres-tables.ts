/** One row with the state of the whole index: the seed of its hashes, and its position in the feed. */
export const STATE_TABLE = 'search_postgres_state';
/** A row for each tenant, scope and place with its statistics. */
export const PARTS_TABLE = 'search_postgres_parts';
/** A row for each fact that a search may find, with everything that a view filters by. */
export const FACTS_TABLE = 'search_postgres_facts';
/** A row for each distinct term of a fact. */
export const WORDS_TABLE = 'search_postgres_words';
/** The newest cover of each triple and of each named fact. */
export const COVERS_TABLE = 'search_postgres_covers';
export const VECTORS_TABLE = 'search_postgres_vectors';
/**
 * The signs of each vector. They are separate from the vectors, so that a scan of all signs reads a tenth of the bytes.
 */
export const SIGNS_TABLE = 'search_postgres_signs';
export const EMBEDDERS_TABLE = 'search_postgres_embedders';
