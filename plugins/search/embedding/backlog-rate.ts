/** The setting of both search plugins that bounds how fast older facts get the vector of a new embedder. */
export const BACKLOG_PER_SECOND = {
  type: 'integer',
  minimum: 1,
  maximum: 1_000_000,
  default: 2_000,
  env: 'SVC_REINDEX_RATE',
  description: 'facts in a second, at most, that get a vector of a new embedder; new facts do not count',
} as const;
