import { expect } from 'chai';
import { definePlugin, Embedder } from '../../../kernel/plugin-api.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const providing = (more: object) =>
  definePlugin({
    name: 'acme-embedder',
    version: '1.0.0',
    kernelApi: 1,
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, { ...createScriptedEmbedder(), ...more } as Embedder),
  });

describe('an embedder of a plugin', () => {
  it('stops the start where it lacks a part, and the error names each one', async () => {
    for (const [more, lacking] of [
      [{ id: undefined }, 'id, a text'],
      [{ dimensions: 2.5 }, 'dimensions, a whole number'],
      [{ similarityFloor: undefined }, 'similarityFloor, a number from -1 to 1'],
      [{ embed: 'text', similarityFloor: 7 }, 'similarityFloor, a number from -1 to 1; embed, a function'],
    ] as const) {
      const error = await rejection(startTestNode({ extra: [providing(more)] }));
      expect(error).to.be.instanceOf(BootError);
      expect(error.message).to.contain(`search failed in setup: the embedder lacks ${lacking} (look into the plugin`);
    }
    const node = await startTestNode({ extra: [providing({})] });
    await node.stop();
  });
});
