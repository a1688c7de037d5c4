import { compareHlc } from '../../../kernel/plugin-api.ts';
import { drawHashSeed, TextHasher } from '../../../plugins/search/index/text-hash.ts';
import type { Hit, SearchView } from '../../../plugins/search/search-api.ts';
import { lengthOfNorm, normOf } from '../../../plugins/search/words/document-norm.ts';
import { readFactTerms } from '../../../plugins/search/words/fact-terms.ts';
import { LANGUAGE_NUMBERS } from '../../../plugins/search/words/languages/text-languages.ts';
import { readQueryForms } from '../../../plugins/search/words/query-forms.ts';
import { TermCounts } from '../../../plugins/search/words/term-counts.ts';
import { TermReader } from '../../../plugins/search/words/term-reader.ts';
import type { StoredFact } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

/** Answers to searches by checking each fact for each question, without any precomputed data. */
export abstract class ReferenceIndex {
  readonly #reader = new TermReader(new TextHasher(drawHashSeed(createSeededRandom(7))));

  /** Every fact of the node that any search may find, live or not, in the order of the feed. */
  abstract readonly facts: readonly StoredFact[];
  /** Returns facts that the view may find, in the order of the feed. */
  abstract live(view: SearchView): Promise<StoredFact[]>;

  async lexical(query: string, view: SearchView, limit: number): Promise<Hit[]> {
    const documents = this.#documentsOf(view);
    const meanLength = [...documents.values()].reduce((sum, { length }) => sum + length, 0) / documents.size;
    const inOrder = this.#weighed(query, view).reverse();
    const hits = (await this.live(view)).map((fact) => {
      const { times, length } = documents.get(fact.id) as Counted;
      const k = 1.4 * (1 - 0.6 + (0.6 * lengthOfNorm(normOf(length))) / meanLength);
      const score = inOrder.reduce((sum, { key, weight }) => {
        const often = Math.min(times.get(key) ?? 0, 31);
        return often === 0 ? sum : sum + (weight * often) / (often + k);
      }, 0);
      return { fact, score };
    });
    return bestOf(hits, limit);
  }

  #documentsOf(view: SearchView): ReadonlyMap<string, Counted> {
    const open = this.facts.filter((fact) => !fact.system && fact.confidence > 0 && isOpen(fact, view));
    return new Map(open.map((fact) => [fact.id, this.#countsOf(fact)]));
  }

  /** Returns the rarest words of a query with their weights, the most frequent one first. */
  #weighed(query: string, view: SearchView) {
    const documents = [...this.#documentsOf(view).values()];
    const sought = new TermCounts();
    const wordOf = readQueryForms(query, this.#reader, LANGUAGE_NUMBERS, sought);
    const holders = [...keysOf(sought)].map((key) => documents.filter(({ times }) => times.has(key)).length);
    const terms = [...keysOf(sought)].map((key, place) => {
      const word = wordOf[place] as number;
      const ofAllForms = holders.filter((_, at) => wordOf[at] === word).reduce((sum, count) => sum + count, 0);
      const frequency = holders[place] === 0 ? 0 : Math.min(documents.length, ofAllForms);
      return {
        key,
        word,
        place,
        frequency,
        weight: Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5)),
      };
    });
    return terms
      .filter(({ frequency }) => frequency > 0)
      .sort((a, b) => b.frequency - a.frequency || b.place - a.place)
      .slice(-64);
  }

  /** Checks all facts in the session of each seed. */
  async besides(seeds: readonly Hit[], view: SearchView, limit: number, weights: readonly number[]): Promise<Hit[]> {
    const live = await this.live(view);
    const scores = new Map<string, number>();
    for (const seed of seeds) {
      for (const side of this.#around(seed.id, view, live)?.sides ?? []) {
        weights.forEach((weight, at) => {
          const { id } = side[at] ?? {};
          if (id !== undefined) scores.set(id, Math.max(scores.get(id) ?? 0, seed.score * weight));
        });
      }
    }
    const hits = live.flatMap((fact) => (scores.has(fact.id) ? [{ fact, score: scores.get(fact.id) as number }] : []));
    return bestOf(hits, limit);
  }

  /** Checks the words of each neighbour of each given fact. */
  async together(query: string, ids: readonly string[], view: SearchView, weights: readonly number[]): Promise<Hit[]> {
    const live = await this.live(view);
    const terms = this.#weighed(query, view);
    const words = terms.filter(({ word }, at) => terms.findIndex((term) => term.word === word) === at);
    const total = words.reduce((sum, { weight }) => sum + weight, 0);
    return ids.flatMap((id) => {
      const around = this.#around(id, view, live);
      if (around === undefined || around.sides.every((side) => side.length === 0)) return [];
      const covered = words.reduce((sum, { word, weight }) => {
        const forms = terms.filter((term) => term.word === word);
        const nearest = weights.find((_, distance) => {
          const facts = distance === 0 ? [around.fact] : around.sides.flatMap((side) => side[distance - 1] ?? []);
          return facts.some((fact) => forms.some(({ key }) => this.#countsOf(fact).times.has(key)));
        });
        return sum + weight * (nearest ?? 0);
      }, 0);
      return [{ id, score: total === 0 ? 0 : Math.min(1, covered / total) }];
    });
  }

  /** Returns a fact, and its neighbours before and after it in its session, nearest first. */
  #around(id: string, view: SearchView, live: readonly StoredFact[]) {
    const fact = this.facts.find((one) => one.id === id && one.tenantId === view.tenantId);
    if (fact === undefined || !isOpen(fact, view)) return undefined;
    const session = fact.sessionId === null ? [] : live.filter(({ sessionId }) => sessionId === fact.sessionId);
    const before = session.filter(({ feed }) => compareHlc(feed, fact.feed) < 0).reverse();
    const after = session.filter(({ feed }) => compareHlc(feed, fact.feed) > 0);
    return { fact, sides: [before, after] };
  }

  #countsOf(fact: StoredFact): Counted {
    const counts = new TermCounts();
    readFactTerms(fact, this.#reader, counts);
    return {
      times: new Map([...keysOf(counts)].map((key, at) => [key, counts.times[at] as number])),
      length: counts.length,
    };
  }
}

interface Counted {
  readonly times: ReadonlyMap<string, number>;
  readonly length: number;
}

function* keysOf(counts: TermCounts): Generator<string> {
  for (let at = 0; at < counts.distinct; at += 1) yield `${counts.hi[at]}:${counts.lo[at]}`;
}

const isOpen = (fact: StoredFact, view: SearchView): boolean =>
  fact.tenantId === view.tenantId &&
  view.scopes.includes(fact.scope) &&
  (view.onlyGarden === undefined || fact.gardenId === view.onlyGarden) &&
  (fact.gardenId === null || view.gardens === 'all' || view.gardens.includes(fact.gardenId));

/** Orders by origin stamp, then by identifier, which is the same on all nodes. */
export const newestFirst = (a: StoredFact, b: StoredFact): number => compareHlc(b.hlc, a.hlc) || (a.id < b.id ? -1 : 1);

interface ScoredFact {
  readonly fact: StoredFact;
  readonly score: number;
}

const bestOf = (hits: readonly ScoredFact[], limit: number): Hit[] =>
  hits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || newestFirst(a.fact, b.fact))
    .map(({ fact: { id }, score }) => ({ id, score }))
    .slice(0, limit);
