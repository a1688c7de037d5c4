import type { Logger, StoredFact } from '../../../kernel/plugin-api.ts';
import type { VectorCode } from '../vectors/fresh-vectors.ts';
import type { DocumentCoder } from './document-coder.ts';
import { embedText } from './embed-text.ts';

export interface Embedded {
  readonly fact: StoredFact;
  readonly vector: VectorCode;
}

/** The number of single texts that must fail, after the batch has failed, before the embedder counts as unreachable. */
const SIGNS_OF_OUTAGE = 2;

/**
 * Embeds texts one by one if the embedder refuses them together. So one refused text is skipped, and does not block all
 * later ones.
 */
export const embedWithFallback = async (
  facts: readonly StoredFact[],
  coder: Pick<DocumentCoder, 'code'>,
  log: Logger,
): Promise<Embedded[]> => {
  try {
    const vectors = await coder.code(facts.map(embedText));
    return facts.map((fact, at) => ({ fact, vector: vectors[at] as VectorCode }));
  } catch (error) {
    if (facts.length === 1) throw error;
    return embedOneByOne(facts, coder, log, error);
  }
};

const embedOneByOne = async (
  facts: readonly StoredFact[],
  coder: Pick<DocumentCoder, 'code'>,
  log: Logger,
  outage: unknown,
): Promise<Embedded[]> => {
  const embedded: Embedded[] = [];
  const refused: string[] = [];
  for (const fact of facts) {
    try {
      const [vector] = await coder.code([embedText(fact)]);
      embedded.push({ fact, vector: vector as VectorCode });
    } catch {
      refused.push(fact.id);
      if (embedded.length === 0 && refused.length === SIGNS_OF_OUTAGE) throw outage;
    }
  }
  if (embedded.length === 0) throw outage;
  if (refused.length > 0) log.warn('the embedder refuses some facts; words find them', { factIds: refused });
  return embedded;
};
