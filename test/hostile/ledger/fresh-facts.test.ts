import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Embedder } from '../../../kernel/plugin-api.ts';
import { SearchIndex } from '../../../plugins/search/search-api.ts';
import type { SearchService } from '../../../plugins/search/search-service.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'graph', 'recall', 'search'];
const COMMON = 'harbour';
/** Enough facts for a snapshot of the index at the end of the node. */
const OLDER_FACTS = 1_000;
const BATCH = 500;

/** An embedder that gives every text with the common word one vector, and holds documents back on request. */
const createHeldEmbedder = () => {
  const sound = createScriptedEmbedder({}, 8);
  const waiting: (() => void)[] = [];
  const held = {
    isHolding: false,
    release: (): void => {
      for (const go of waiting.splice(0)) go();
    },
  };
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (purpose === 'document' && held.isHolding) await new Promise<void>((resolve) => waiting.push(resolve));
      return sound.embed(
        texts.map((text) => (text.includes(COMMON) ? COMMON : text)),
        purpose,
      );
    },
  };
  const plugin = defineOwnPlugin({
    name: 'held',
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, embedder),
  });
  return { held, plugin };
};

forEachStore('A recall begins right after the acknowledgement of a fact (I23)', () => {
  const { held, plugin } = createHeldEmbedder();
  const [clock, random] = [createManualClock(), createSeededRandom()];
  let folder: string;
  let node: TestNode;
  let key: string;
  let written = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fresh-'));
    await start();
    key = await node.addKey();
    for (let at = 0; at < OLDER_FACTS; at += BATCH) {
      const body = Array.from({ length: BATCH }, (_, n) => noteOf(`${COMMON} ${at + n}`));
      expect((await node.request('POST', '/v1/facts/batch', { key, body })).status).to.equal(200);
    }
    await comesTrue(async () => {
      await clock.advance(3_000);
      return (await vectors()) === OLDER_FACTS;
    });
    held.isHolding = true;
  });
  after(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<void> => {
    const settings = { search: { snapshotFolder: join(folder, 'snapshots') } };
    node = await startTestNode({ plugins: [...PLUGINS, plugin], folder, settings, clock, random });
  };
  const stop = async (): Promise<void> => {
    held.isHolding = false;
    held.release();
    await node.stop();
  };
  const vectors = async (): Promise<number> => (await node.kernel.get(FactStore).table('search_vectors')).length;
  const noteOf = (v: string) => ({
    entity: `box:${v.replace(' ', '')}`,
    relation: 'memory:note',
    value: { type: 'text', v },
    source: 'agent:s',
  });
  const say = async (v: string): Promise<string> => {
    const reply = await node.request('POST', '/v1/facts', { key, body: noteOf(v) });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.id;
  };
  const recalled = async (query: string, members: object = {}): Promise<string[]> => {
    const reply = await node.request('POST', '/v1/recall', {
      key,
      body: { query, token_budget: 200_000, limit: 1, ...members },
    });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
  };
  /** Retries of the store and rests of builds wait for the clock. */
  const whileTimePasses = async (work: Promise<unknown>): Promise<void> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    await Promise.all([
      done,
      comesTrue(async () => {
        await clock.advance(isDone ? 0 : 500);
        return isDone;
      }),
    ]);
  };
  /** Writes a fact with a word of its own and the common one, and expects a recall of both to find it first. */
  const writeAndRecall = async (): Promise<void> => {
    written += 1;
    const word = `quixotry${written}x`;
    const id = await say(`${word} ${COMMON}`);
    expect(await recalled(`${word} ${COMMON}`), word).to.deep.equal([id]);
  };

  it('and finds the new fact before older facts that share a common word and have vectors', async () => {
    const before = await vectors();
    for (let round = 0; round < 5; round += 1) await writeAndRecall();
    expect(await vectors(), 'vectors').to.equal(before);
  });

  it('and ignores words that are too common to count', async () => {
    const id = await say(`zeppelinade ${COMMON}`);
    const weights = { vector: 0.5, graph: 0.5 };
    expect(await recalled(`zeppelinade ${COMMON}`, { weights, limit: 500 })).not.to.include(id);
  });

  it('and finds each fact by its words, in any order of writes, vectors, builds and restores', async () => {
    const steps = {
      write: writeAndRecall,
      vectors: async () => held.release(),
      build: () => (node.kernel.get(SearchIndex) as SearchService).rebuild(() => {}),
    };
    const some = fc.array(fc.constantFrom<keyof typeof steps>('write', 'write', 'vectors', 'build'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 3 }), async (parts) => {
        for (const [at, part] of parts.entries()) {
          if (at > 0) {
            await stop();
            await start();
            held.isHolding = true;
          }
          // Builds take turns, because each replaces the index that it began beside.
          let building = Promise.resolve();
          const runs = part.map(async (step) => {
            if (step !== 'build') return steps[step]();
            building = building.then(steps.build);
            return building;
          });
          await whileTimePasses(Promise.all([...runs, writeAndRecall()]));
        }
      }),
      { numRuns: Math.ceil(RUNS / 50) },
    );
  });
});
