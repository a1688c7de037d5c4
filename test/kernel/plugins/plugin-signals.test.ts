import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { DEFAULT_TENANT, type PluginTables } from '../../../kernel/plugin-api.ts';
import { FIRST_RETRY_MS } from '../../../kernel/plugins/followed-signal.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

/** A plugin that counts the signals of the topic `news`, and gives a test access to its context. */
const createListener = (name: string) => {
  const inner = {
    heard: 0,
    failing: false,
    tables: undefined as unknown as PluginTables,
    late: (): void => {},
    raise: () => inner.tables.write(DEFAULT_TENANT, async (own) => own.signal('news')),
    plugin: defineOwnPlugin({
      name,
      setup({ tables, onSignal }) {
        inner.tables = tables;
        onSignal('news', () => {
          inner.heard += 1;
          if (inner.failing) throw new Error('cannot listen');
        });
        inner.late = () => onSignal('news', () => {});
      },
    }),
  };
  return inner;
};

forEachStore('signals of a plugin', () => {
  it('reach only the plugin itself, before the write resolves', async () => {
    const [one, two] = [createListener('acme-one'), createListener('acme-two')];
    const node = await startTestNode({ plugins: [one.plugin, two.plugin] });
    // Every listener may be called unnecessarily, but not every time.
    await comesTrue(async () => {
      const [before, others] = [one.heard, two.heard];
      await one.raise();
      expect(one.heard).to.be.above(before);
      return two.heard === others;
    });
    await node.stop();
  });

  it('reach the same plugin of another process, until its node stops', async () => {
    const [one, two] = [createListener('acme'), createListener('acme')];
    const first = await startTestNode({ plugins: [one.plugin] });
    const random = createSeededRandom(2);
    const second = await startTestNode({ plugins: [two.plugin], random, folder: first.folder });
    const before = two.heard;
    await one.raise();
    await comesTrue(() => two.heard > before);
    await second.stop();
    const { heard } = two;
    await one.raise();
    expect(two.heard).to.equal(heard);
    await first.stop();
  });

  it('reach a listener again and again while it fails', async () => {
    const one = createListener('acme');
    const node = await startTestNode({ plugins: [one.plugin] });
    one.failing = true;
    await one.raise();
    // The store itself may repeat a signal once.
    const wanted = one.heard + 4;
    await comesTrue(async () => {
      await node.clock.advance(FIRST_RETRY_MS);
      return one.heard >= wanted;
    });
    await node.stop();
  });

  it('are registered only in setup, and a failing listener is logged', async () => {
    const one = createListener('acme');
    const node = await startTestNode({ plugins: [one.plugin] });
    expect(one.late).to.throw(/after its setup/);
    one.failing = true;
    await one.raise();
    expect(node.logLines.some(({ level, message }) => level === 'error' && /signal/.test(message))).to.equal(true);
    await node.stop();
  });
});
