import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Node } from '../../config/create-node.ts';
import { tablePrefix } from '../../kernel/plugins/check-plugin.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../kit/start-test-node.ts';

export interface PluginSubject {
  readonly plugin: AnyPlugin;
  /** Settings that the plugin needs to start. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The other plugins of the node; the default plugins when absent. */
  readonly node?: Omit<TestNodeOptions, 'extra' | 'settings'>;
}

/** The time limit of each test, because a node may need more than mocha's two seconds to start on a busy machine. */
const TIME_LIMIT_MS = 30_000;

/** The contract of every plugin: it describes itself, restarts, stops cleanly, and leaves no tables when it is off. */
export const describePlugin = ({ plugin, settings = {}, node: options = {} }: PluginSubject): void => {
  const startWith = (more: TestNodeOptions = {}): Promise<TestNode> =>
    startTestNode({ ...options, ...more, extra: [plugin], settings: { [plugin.name]: settings } });

  describe(`${plugin.name} as a plugin`, function () {
    this.timeout(TIME_LIMIT_MS);

    it('describes itself', () => {
      expect(plugin.name).to.match(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(plugin.version).to.be.a('string').and.not.equal('');
      expect(plugin.kernelApi).to.equal(1);
      expect(Object.isFrozen(plugin), 'made with definePlugin').to.equal(true);
    });

    it('describes its settings with an object schema that refuses unknown members', () => {
      if (plugin.config === undefined) return;
      expect(plugin.config.json).to.deep.include({ type: 'object', additionalProperties: false });
    });

    it('runs in two nodes of one process at the same time', async () => {
      const nodes = [await startWith(), await startWith()];
      for (const { node } of nodes) expect(await pluginNames(node)).to.include(plugin.name);
      for (const started of nodes) await started.stop();
    });

    it('starts again on a store that it has used, and stops cleanly each time', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'plugin-'));
      for (let life = 0; life < 2; life += 1) {
        const started = await startWith({ folder });
        expect(await pluginNames(started.node)).to.include(plugin.name);
        await started.stop();
        expect(started.clock.pending, 'timers left after the stop').to.equal(0);
        expect(started.logLines.filter(({ level }) => level === 'error')).to.deep.equal([]);
      }
      await rm(folder, { recursive: true, force: true });
    });

    it('owns only tables with its name as prefix, and none when it is off', async () => {
      const prefix = tablePrefix(plugin.name);
      const off = await startTestNode(options);
      const without = (await off.node.describe()).tables.map(({ name }) => name);
      await off.stop();
      const on = await startWith();
      const added = (await on.node.describe()).tables.map(({ name }) => name).filter((name) => !without.includes(name));
      await on.stop();
      expect(added.filter((name) => !name.startsWith(prefix))).to.deep.equal([]);
      expect(without.filter((name) => name.startsWith(prefix))).to.deep.equal([]);
    });
  });
};

const pluginNames = async (node: Node): Promise<string[]> =>
  (await node.describe()).plugins.filter(({ enabled }) => enabled).map(({ name }) => name);
