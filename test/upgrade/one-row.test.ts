import { expect } from 'chai';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { loadOldStore, type OldStore, readRecording } from './load-old-store.ts';
import { ask } from './old-answers.ts';

const ABOUT_AUDIT = /\/audit/;

forEachStore('a node on a store with several rows a fact', () => {
  let old: OldStore | undefined;
  let node: TestNode | undefined;
  afterEach(async () => {
    await node?.stop();
    await old?.remove();
  });

  const upgrade = async (name: 'plain' | 'patchy') => {
    const recording = await readRecording(name);
    old = await loadOldStore(recording);
    // Another seed than that of the recording, whose identifiers are taken.
    const random = createSeededRandom(2);
    node = await startTestNode({ folder: old.folder, clock: createManualClock(recording.nowMs), random });
    return { ...recording, node };
  };

  it('answers as the node before it did', async () => {
    const { answers, keys, node } = await upgrade('plain');
    for (const { key, target, ...told } of answers) {
      expect(await ask(node, keys[key], target), `${target} as ${key}`).to.deep.equal(told);
    }
  });

  it('answers so also where plugins had been off, apart from what the audit log lacked', async () => {
    const { answers, keys, node } = await upgrade('patchy');
    for (const { key, target, ...told } of answers) {
      if (ABOUT_AUDIT.test(target)) continue;
      expect(await ask(node, keys[key], target), `${target} as ${key}`).to.deep.equal(told);
    }
  });
});
