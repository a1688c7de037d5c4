import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../kit/for-each-store.ts';
import { RUNS } from '../kit/property-runs.ts';
import { ENTITIES, FORMS, type Op, recallBodies, stories, WORDS } from './hidden-facts/stories.ts';
import { HIDDEN_PLACES, startWorld, type World } from './hidden-facts/world.ts';

/** The number of runs: low, because each run starts two nodes. */
const TRIES = Math.max(2, Math.ceil(RUNS / 50));

/** Returns every read that the caller can make, as texts. */
const readAll = async (world: World, bodies: readonly object[]): Promise<string[]> => {
  const texts: string[] = [];
  const get = async (path: string): Promise<unknown> => {
    const reply = await world.read('GET', path);
    texts.push(`${path} ${reply}`);
    return JSON.parse(reply.slice(reply.indexOf('{')));
  };
  for (const body of bodies) {
    texts.push(`${JSON.stringify(body)} ${await world.read('POST', '/v1/recall', body)}`);
  }
  if (bodies.length > 0)
    await get(`/v1/recall?query=${WORDS.slice(0, 3).join('%20')}&token_budget=300&include_contradicted=true`);
  for (const entity of ENTITIES) {
    await get(`/v1/facts?entity=${entity}&include_contradicted=true&min_confidence=0`);
    await get(`/v1/facts?entity=${entity}`);
    for (const depth of [1, 2]) await get(`/v1/graph/neighbors?entity=${entity}&depth=${depth}&min_confidence=0`);
    for (const scope of ['local', 'team']) {
      // Cards are facts too, and each needs its own timestamp.
      await world.pass(1);
      await get(`/v1/cards/${entity}?scope=${scope}`);
    }
  }
  texts.push(...(await world.pages('/v1/facts?limit=2&include_contradicted=true')));
  texts.push(...(await conflictsOf(world)));
  for (const id of world.visibleIds) {
    await get(`/v1/facts/${id}`);
    await get(`/v1/facts/${id}/provenance`);
  }
  return texts.map((text) => world.mask(text));
};

/** Conflicts without order and time, because the age of a conflict depends on facts that other readers may not see. */
const conflictsOf = async (world: World): Promise<string[]> => {
  const pages = await world.pages('/v1/conflicts?limit=500');
  const conflicts = pages.flatMap(
    (page) => (JSON.parse(page.slice(page.indexOf('{'))) as { conflicts: object[] }).conflicts,
  );
  return conflicts.map((conflict) => world.mask(JSON.stringify({ ...conflict, detected_at: '' }))).sort();
};

/** Returns the replies to the caller while visible facts are written, with its reads in the middle and at the end. */
const live = async (story: readonly Op[], withHidden: boolean, bodies: readonly object[]): Promise<string[]> => {
  const world = await startWorld();
  try {
    const told: string[] = [];
    for (const [at, op] of story.entries()) {
      if (op.isHidden) {
        if (withHidden) await world.hide(op);
        continue;
      }
      await world.pass(1_000);
      told.push(await world.say(op));
      if (at !== story.length >> 1) continue;
      await world.pass(500);
      // Vectors arrive at random times, so recalls wait until all are ready.
      told.push(...(await readAll(world, [])));
    }
    await world.settle();
    if (withHidden) for (const place of HIDDEN_PLACES) await world.recallHidden(place);
    told.push(...(await readAll(world, bodies.slice(0, 2))));
    await world.countRecalls();
    told.push(...(await readAll(world, bodies)));
    return told.map((text) => world.mask(text));
  } finally {
    await world.stop();
  }
};

forEachStore('the data that a caller reads', () => {
  it('is identical byte for byte, with and without hidden facts', async function () {
    this.timeout(TRIES * 60_000);
    const property = fc.asyncProperty(
      stories,
      fc.array(recallBodies, { minLength: 6, maxLength: 10 }),
      async (...given) => {
        const [story, bodies] = given;
        const [without, withHidden] = [await live(story, false, bodies), await live(story, true, bodies)];
        for (const [at, text] of without.entries()) expectEqual(withHidden[at] ?? '', text);
        expect(withHidden).to.have.length(without.length);
      },
    );
    await fc.assert(property, { numRuns: TRIES, endOnFailure: true });
  });

  it('contains no hidden fact', async () => {
    const world = await startWorld();
    try {
      for (const place of HIDDEN_PLACES) {
        await world.hide({
          ...FORMS.plain,
          place,
          isHidden: true,
          text: `quiet ${createHash('sha1').update(place).digest('hex')}`,
        });
      }
      await world.say({ ...FORMS.plain, text: 'a quiet place' });
      await world.settle();
      const reply = await world.read('POST', '/v1/recall', { query: 'quiet', token_budget: 900 });
      expect(JSON.parse(reply.slice(reply.indexOf('{'))).total_scored).to.equal(1);
      for (const place of HIDDEN_PLACES) expect(await world.recallHidden(place), place).to.equal(1);
    } finally {
      await world.stop();
    }
  });
});

/** Compares texts, and shortens long ones around the first difference. */
const expectEqual = (actual: string, expected: string): void => {
  if (actual === expected) return;
  const place = [...expected].findIndex((character, at) => character !== actual[at]);
  const from = Math.max(0, place - 200);
  const around = (text: string): string => text.slice(from, place + 200);
  expect.fail(`${expected.slice(0, 200)}: ${around(actual)} in place of ${around(expected)}`);
};
