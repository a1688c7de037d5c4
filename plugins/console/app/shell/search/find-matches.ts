import type { Fact } from '../../../../../client/client.ts';
import { matchesWords } from '../../kit/matches-words.ts';
import { entitiesIn } from '../../screens/entities/found-entities.ts';
import { hasRoute, may, type Session } from '../../session/session.ts';

export interface Found {
  readonly words: string;
  readonly entities: readonly string[];
  readonly facts: readonly Fact[];
}

const MOST_ENTITIES = 6;
const MOST_FACTS = 6;
const NAMED_FACTS = 100;
const RECALLED_TOKENS = 20_000;
/** The node takes no longer beginnings of names. */
const LONGEST_BEGINNING = 300;

/** Entities and facts for words: names that begin with the words, then what a recall finds, as the reader may see. */
export const findMatches = async (session: Session, words: string, signal: AbortSignal): Promise<Found> => {
  const { reader, setup } = session;
  if (words === '' || !may(reader, 'read') || !hasRoute(setup, 'GET /v1/facts')) {
    return { words, entities: [], facts: [] };
  }
  const [named, facts] = await Promise.all([readNames(session, words, signal), recallFacts(session, words, signal)]);
  const recalled = entitiesIn(facts).map(({ uri }) => uri);
  const fitting = recalled.filter((uri) => matchesWords([uri], words));
  return {
    words,
    entities: [...new Set([...named, ...fitting, ...recalled])].slice(0, MOST_ENTITIES),
    facts: facts.slice(0, MOST_FACTS),
  };
};

const readNames = async ({ client }: Session, words: string, signal: AbortSignal): Promise<readonly string[]> => {
  if (words.length > LONGEST_BEGINNING) return [];
  const query = { entities: `${words}*`, fields: 'entity', limit: NAMED_FACTS };
  const { facts } = await client.call('GET /v1/facts', { query, signal });
  return facts.map(({ entity }) => entity);
};

const recallFacts = async (
  { client, setup }: Session,
  query: string,
  signal: AbortSignal,
): Promise<readonly Fact[]> => {
  if (!hasRoute(setup, 'POST /v1/recall')) return [];
  const limits = { token_budget: RECALLED_TOKENS, limit: 4 * MOST_FACTS };
  const { facts } = await client.recall({ query, scope: 'global', ...limits }, { signal });
  // A card stands for an entity and cannot be opened as a fact.
  return facts.filter(({ from_card: isCard }) => !isCard).map(({ fact }) => fact);
};
