import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SETUP_LIMIT_MS } from '../../../kernel/boot/create-kernel.ts';
import type { Ref } from '../../../kernel/internal-api.ts';
import {
  defineEventHook,
  definePlugin,
  defineRef,
  KERNEL_API,
  NodeSettings,
  type Plugin,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createGate } from '../../kit/create-gate.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { createTestRequest } from '../../kit/test-request.ts';

const plugin = (name: string, setup: Plugin['setup'], more: Partial<Plugin> = {}): AnyPlugin => ({
  name,
  version: '1.0.0',
  kernelApi: KERNEL_API,
  setup,
  ...more,
});
const Base = defineRef<string>('base.service');
const happened = defineEventHook<string>('early:happened');

describe('the start task of a plugin', () => {
  it('runs after every setup, in setup order, and before the node answers requests', async () => {
    const network = createLoopbackNetwork();
    const request = createTestRequest(network, 'http://localhost:8765');
    const events: string[] = [];
    // It would come first by name, but it requires the other plugin.
    const early = plugin(
      'early',
      ({ onStart, hooks, use }) => {
        onStart(() => void events.push(`early with ${use['base']}`));
        onStart(() => hooks.emit(happened, 'all are there'));
      },
      { requires: { base: Base } },
    );
    const base = plugin(
      'zbase',
      ({ onStart, provide, on, route }) => {
        provide(Base, 'base');
        on(happened, (what) => void events.push(what));
        route({
          method: 'GET',
          path: '/v1/base',
          summary: 'x',
          access: 'open',
          answers: { 200: { json: { type: 'object' } } },
          handle: () => ({ status: 200, body: {} }),
        });
        onStart(async () => {
          const answer = await request('GET', '/v1/base').then(
            ({ status }) => String(status),
            () => 'nobody there',
          );
          events.push(`base: ${answer}`);
        });
      },
      { provides: [Base as Ref<unknown>] },
    );
    const node = await startTestNode({ plugins: [early, base], network });
    expect(events).to.deep.equal(['base: nobody there', 'early with base', 'all are there']);
    expect((await request('GET', '/v1/base')).status).to.equal(200);
    await node.stop();
  });

  it('is a boot problem when it fails, and the node stops again', async () => {
    let stopped = 0;
    const failing = plugin('failing', ({ onStart, onStop }) => {
      onStart(() => Promise.reject(new ServiceError('unavailable', 'the index is gone', { hint: 'rebuild it' })));
      onStop(() => {
        stopped += 1;
      });
    });
    const error = await rejection(startTestNode({ plugins: [failing] }));
    if (!(error instanceof BootError)) throw error;
    expect(error.problems).to.have.length(1);
    expect(error.problems[0]).to.include({
      message: 'failing failed in onStart: the index is gone',
      hint: 'rebuild it',
    });
    expect(stopped).to.equal(1);
  });

  it('may run for ten seconds', async () => {
    const clock = createManualClock();
    const { passed: begins, open: begun } = createGate();
    const slow = plugin('slow', ({ onStart }) => {
      onStart(() => {
        begun();
        return new Promise<void>(() => undefined);
      });
    });
    const failed = rejection(startTestNode({ plugins: [slow], clock }));
    await begins;
    await clock.advance(SETUP_LIMIT_MS);
    expect((await failed).message).to.include('slow took too long to start');
  });

  it('can only be registered during setup', async () => {
    let late: (() => void) | undefined;
    const node = await startTestNode({
      plugins: [
        plugin('late', ({ onStart }) => {
          late = () => onStart(() => undefined);
        }),
      ],
    });
    expect(late).to.throw('registrations belong into setup');
    await node.stop();
  });
});

describe('the folder of a plugin', () => {
  it('is created on request, for its user alone, in the data folder', () =>
    inTemporaryFolder(async (folder) => {
      let own = '';
      const asking = plugin('asking', ({ dataFolder }) => {
        own = dataFolder();
        expect(dataFolder()).to.equal(own);
      });
      const node = await startTestNode({ folder, plugins: [asking, plugin('quiet', () => undefined)] });
      expect(own).to.equal(join(folder, 'asking'));
      expect(statSync(own).mode & 0o777).to.equal(0o700);
      expect(statSync(join(folder, 'quiet'), { throwIfNoEntry: false })).to.equal(undefined);
      await node.stop();
    }));

  it('is inside the folder that the settings of the node name', () =>
    inTemporaryFolder(async (folder) => {
      let settings: NodeSettings | undefined;
      const asking = definePlugin({
        name: 'asking',
        version: '1.0.0',
        kernelApi: KERNEL_API,
        requires: { node: NodeSettings },
        setup({ use }) {
          settings = use.node;
        },
      });
      const node = await startTestNode({ folder, plugins: [asking], node: { authRequired: false } });
      expect(settings).to.include({ dataFolder: folder, authRequired: false, workers: 1 });
      expect(settings?.crossOrigin).to.deep.equal({ configured: false, devLocalhost: false });
      await node.stop();
    }));
});
