import { expect } from 'chai';
import { liveAmong, visibleTo } from '../../../kernel/facts/default-constraints.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  Embedder,
  type FactDraft,
  GardenAccess,
  type Hlc,
  type Principal,
  SCOPES,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { type Hit, type PlacedTriple, SearchIndex, type SearchView } from '../../../plugins/search/search-api.ts';
import { all, equals, FactStore, type StoredFact } from '../../../ports/ports.ts';
import { openGardens } from '../../fakes/open-gardens.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { askStep, findNewest } from './ask-index.ts';
import { followsInTime } from './follows-in-time.ts';
import { DIMENSIONS, vectorOf } from './pointing-vectors.ts';
import { ReferenceIndex } from './reference-index.ts';

/** Options of a node under test, whose plugins lack the one that provides the search index. */
export interface SearchNodeOptions {
  readonly plugins: readonly (string | AnyPlugin)[];
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Starts a node with these options and the plugin that provides the search index. */
export type StartSearchNode = (options: SearchNodeOptions) => Promise<TestNode>;

/** Returns the node of the running suite. */
export type CurrentNode = () => SearchNode;

export const GARDEN_A = '6f1f6d5e-0000-4000-8000-00000000000a';
export const GARDEN_B = '6f1f6d5e-0000-4000-8000-00000000000b';

/** Returns a text that gets the vector of these components, all of 0 to 9. */
export const textAt = (...components: readonly number[]): string => `towards ${components.join('x')}x`;

const doors = defineOwnPlugin({
  name: 'garden-doors',
  provides: [GardenAccess],
  setup: ({ provide }) =>
    provide(
      GardenAccess,
      openGardens(() => [GARDEN_A, GARDEN_B]),
    ),
});

const pointing = defineOwnPlugin({
  name: 'pointing-embedder',
  provides: [Embedder],
  setup: ({ provide }) => {
    const other = createScriptedEmbedder({}, DIMENSIONS);
    const vectorIn = async (text: string): Promise<Float32Array> => {
      const components = /towards ([0-9x]+)x/.exec(text)?.[1]?.split('x').map(Number);
      return components === undefined
        ? ((await other.embed([text], 'document'))[0] as Float32Array)
        : vectorOf(...components);
    };
    provide(Embedder, { ...other, id: 'pointing', embed: (texts) => Promise.all(texts.map(vectorIn)) });
  },
});

/** A fact to assert, and the principal who asserts it. */
export type Said = Partial<FactDraft> & { readonly tenantId?: string; readonly author?: string };

/** A node whose search index is under test, with the means to change its facts. */
export class SearchNode extends ReferenceIndex {
  readonly node: TestNode;
  readonly index: SearchIndex;
  override facts: readonly StoredFact[] = [];

  readonly #name: string;
  readonly #patienceMs: number | undefined;

  private constructor(node: TestNode, name: string, patienceMs: number | undefined) {
    super();
    this.node = node;
    this.#name = name;
    this.#patienceMs = patienceMs;
    this.index = node.kernel.get(SearchIndex);
  }

  /** `name` is that of the index, for reasons of failures. */
  static async start(start: StartSearchNode, name: string, patienceMs?: number): Promise<SearchNode> {
    const plugins = ['facts', 'conflicts', 'node-info', 'tombstones', doors, pointing];
    return new SearchNode(await start({ plugins, settings: { tombstones: { enabled: true } } }), name, patienceMs);
  }

  get nowMs(): number {
    return this.node.clock.nowMs();
  }

  /** Asserts facts in order, and resolves with their ids when the index finds them by their words. */
  async say(...drafts: readonly Said[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const { tenantId = 'default', author, ...draft } of drafts) {
      const caller = callerOf(tenantId, author);
      await this.node.clock.advance(1);
      const { view } = await this.node.facts.append({ ...DRAFT, ...draft }, caller, { origin: 'plugin' });
      ids.push(view.fact.id);
    }
    await this.follow();
    return ids;
  }

  /** Waits until the index has followed all changes, reads the facts for the reference, and returns the feed's end. */
  async follow(): Promise<Hlc> {
    let answer: Hlc | null | undefined;
    await followsInTime(
      `the search index "${this.#name}" did not follow all changes`,
      async () => {
        answer = await this.index.ready();
        return answer === null;
      },
      () =>
        answer === undefined ? 'ready() never resolved' : 'ready() resolved with a stamp each time, never with null',
      this.#patienceMs,
    );
    const store = this.node.kernel.get(FactStore);
    return store.read(async (snapshot) => {
      const stored = await snapshot.find({ filter: all(), order: 'feed', limit: 1_000 });
      this.facts = stored.filter(({ system, confidence, cid }) => !system && confidence > 0 && cid !== '');
      return (await snapshot.head()) as Hlc;
    });
  }

  /** Waits until these facts are found by their vectors. */
  async embed(ids: readonly string[], view: SearchView): Promise<void> {
    const spread = { find: 'spread', vector: vectorOf(1), of: { ids } } as const;
    let found: number | undefined;
    await followsInTime(
      `the search index "${this.#name}" did not find ${ids.length} facts by their vectors`,
      async () => {
        await this.node.clock.advance(100);
        found = (await askStep(this.index, spread, view)).hits.length;
        return found === ids.length;
      },
      () => (found === undefined ? 'ask() never resolved' : `the step "spread" found ${found}`),
      this.#patienceMs,
    );
  }

  /** Returns a view of all facts of the tenant that are live now. */
  view(members: Partial<SearchView> = {}): SearchView {
    return {
      tenantId: 'default',
      scopes: SCOPES,
      gardens: 'all',
      nowMs: this.nowMs,
      minConfidence: 0,
      ...members,
    };
  }

  override async live(view: SearchView): Promise<StoredFact[]> {
    const caller = { tenantId: view.tenantId, allowedScopes: new Set(view.scopes) } as unknown as Principal;
    const filter = all(
      liveAmong(visibleTo(caller, view.gardens), { nowMs: view.nowMs }),
      equals('tenantId', view.tenantId),
    );
    const store = this.node.kernel.get(FactStore);
    const found = await store.read((snapshot) => snapshot.find({ filter, order: 'feed', limit: 1_000 }));
    return found.filter((fact) => isAmong(view, fact));
  }

  /** Returns the ids of the live facts of a view, newest first. */
  async newest(view: SearchView): Promise<readonly string[]> {
    return (await findNewest(this.index, view, 1_000)).map(({ id }) => id);
  }
}

const DRAFT: FactDraft = {
  entity: 'user:alice',
  relation: 'memory:note',
  value: { type: 'text', v: '', interpretAs: 'content' },
  source: 'agent:s',
  confidence: 1,
  scope: 'company',
};

export const text = (v: string): FactDraft['value'] => ({ type: 'text', v, interpretAs: 'content' });

export const callerOf = (tenantId: string, entityUri = 'agent:caller'): Principal =>
  createPrincipal({ tenantId, entityUri, permissions: new Set(['read', 'write', 'admin']) });

const isAmong = (view: SearchView, fact: StoredFact): boolean => {
  const { onlyGarden, entityKey, relationKey, excludedRelationKeys = [], contested = [], minConfidence } = view;
  if (onlyGarden !== undefined && fact.gardenId !== onlyGarden) return false;
  if (entityKey !== undefined && fact.entityKey !== entityKey) return false;
  if (relationKey !== undefined && fact.relationKey !== relationKey) return false;
  if (fact.confidence < minConfidence || excludedRelationKeys.includes(fact.relationKey)) return false;
  if (!hasNamedKeys(view, fact)) return false;
  return !contested.some((triple) => isSame(triple, fact));
};

/** Returns whether a fact has the keys and the time that a view names. */
export const hasNamedKeys = (view: SearchView, fact: StoredFact): boolean => {
  const { afterMs = Number.NEGATIVE_INFINITY, beforeMs = Number.POSITIVE_INFINITY } = view;
  const ofMs = fact.validFromMs ?? fact.timestampMs;
  const isNamed = (keys: readonly string[] | undefined, key: string | null): boolean =>
    keys === undefined || (key !== null && keys.includes(key));
  return (
    ofMs > afterMs &&
    ofMs < beforeMs &&
    isNamed(view.entityKeys, fact.entityKey) &&
    isNamed(view.relationKeys, fact.relationKey) &&
    isNamed(view.sourceKeys, fact.sourceKey) &&
    isNamed(view.sessionIds, fact.sessionId) &&
    (view.assertedBy === undefined || fact.assertedBy === view.assertedBy)
  );
};

const isSame = (a: PlacedTriple, b: PlacedTriple): boolean =>
  a.scope === b.scope && a.gardenId === b.gardenId && a.entityKey === b.entityKey && a.relationKey === b.relationKey;

/** Expects the same facts in the same order, with scores that differ by no more than the order of additions. */
export const expectHits = (hits: readonly Hit[], expected: readonly Hit[]): void => {
  expect(hits.map(({ id }) => id)).to.deep.equal(expected.map(({ id }) => id));
  for (const [at, { score }] of expected.entries()) expect(hits[at]?.score).to.be.closeTo(score, 1e-9);
};
