import { join } from 'node:path';
import { expect } from 'chai';
import { createNode, type Node } from '../../../config/create-node.ts';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import type { Plugin, Transport } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const plugin = (setup: Plugin['setup']): AnyPlugin => defineOwnPlugin({ name: 'watched', setup: setup as () => void });

/** A transport that fails any attempt to serve. */
const unserving: Transport = {
  serve: () => Promise.reject(new Error('served')),
  send: () => Promise.reject(new Error('sent')),
  refusal: () => Promise.reject(new Error('judged')),
};

const createWith = (folder: string, clock: ManualClock, only: AnyPlugin): Promise<Node> =>
  createNode({
    env: { SVC_AUTH_REQUIRED: 'false' },
    plugins: [only],
    overrides: {
      adapters: { store: { path: join(folder, 'node.db') } },
      plugins: Object.fromEntries(Object.keys(PLUGIN_CATALOG).map((name) => [name, false])),
    },
    adapters: { clock, transport: unserving, log: createMemoryLogger([]) },
  });

describe('a node that does not serve', () => {
  it('boots without a listener and without running tasks, for the command line', () =>
    inTemporaryFolder(async (folder) => {
      const clock = createManualClock();
      let runs = 0;
      const task = plugin(({ every }) =>
        every(1000, () => {
          runs += 1;
        }),
      );
      const { kernel } = await createWith(folder, clock, task);
      await Promise.all([kernel.boot(), kernel.boot()]);
      const { plugins } = await kernel.describe();
      expect(plugins.filter(({ enabled }) => enabled).map(({ name }) => name)).to.deep.equal(['watched']);
      await clock.advance(5000);
      expect(runs).to.equal(0);
      await kernel.stop();
      expect((await rejection(kernel.boot())).message).to.include('has been stopped');
    }));

  it('can be stopped before it starts', () =>
    inTemporaryFolder(async (folder) => {
      const node = await createWith(
        folder,
        createManualClock(),
        plugin(() => undefined),
      );
      await node.stop();
      expect((await rejection(node.start())).message).to.include('has been stopped');
    }));

  it('stops every started part when it is stopped during its start', () =>
    inTemporaryFolder(async (folder) => {
      const clock = createManualClock();
      const events: string[] = [];
      let proceed: (() => void) | undefined;
      const slow = plugin(({ onStop }) => {
        onStop(() => void events.push('stops'));
        return new Promise<void>((resolve) => {
          proceed = resolve;
        });
      });
      const node = await createWith(folder, clock, slow);
      const starting = rejection(node.start());
      while (proceed === undefined) await new Promise((resolve) => setImmediate(resolve));
      const stopping = node.stop();
      proceed();
      expect((await starting).message).to.include('stopped while it started');
      await stopping;
      expect(events).to.deep.equal(['stops']);
    }));

  it('stops every started part when the listener cannot be opened', () =>
    inTemporaryFolder(async (folder) => {
      const events: string[] = [];
      const node = await createWith(
        folder,
        createManualClock(),
        plugin(({ onStop }) => onStop(() => void events.push('stops'))),
      );
      expect((await rejection(node.start())).message).to.equal('served');
      expect(events).to.deep.equal(['stops']);
    }));
});
