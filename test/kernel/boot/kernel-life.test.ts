import { expect } from 'chai';
import { SETUP_LIMIT_MS } from '../../../kernel/boot/create-kernel.ts';
import { STOP_LIMIT_MS } from '../../../kernel/boot/stop-node.ts';
import type { Ref } from '../../../kernel/internal-api.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  Clock,
  defineEventHook,
  defineRef,
  Facts,
  NodeSelf,
  type Plugin,
  type PluginContext,
  Random,
  ServiceError,
  Transport,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

type Context = PluginContext<Record<never, never>, unknown>;
const plugin = (name: string, setup: Plugin['setup'], more: Partial<Plugin> = {}): AnyPlugin =>
  defineOwnPlugin({ name, setup, ...more });
const service = (name: string): Ref<string> => defineRef(`${name}.service`);
const never = new Promise<void>(() => undefined);

describe('the life cycle of a node', () => {
  it('sets up each plugin after its requirements, and stops plugins in reverse order', async () => {
    const events: string[] = [];
    const part = (name: string, needs?: string) =>
      plugin(
        name,
        ({ use, provide, onStop }) => {
          events.push(`${name} got ${needs === undefined ? 'nothing' : use['it']}`);
          provide(service(name), name);
          onStop(() => void events.push(`${name} stops last`));
          onStop(async () => void events.push(`${name} stops first`));
        },
        { provides: [service(name) as Ref<unknown>], requires: needs === undefined ? {} : { it: service(needs) } },
      );
    const node = await startTestNode({ plugins: [part('a', 'c'), part('b', 'a'), part('c')] });
    expect(events).to.deep.equal(['c got nothing', 'a got c', 'b got a']);
    events.length = 0;
    await Promise.all([node.stop(), node.stop()]);
    await node.stop();
    const stops = ['b', 'a', 'c'].flatMap((name) => [`${name} stops first`, `${name} stops last`]);
    expect(events).to.deep.equal(stops);
  });

  it('provides plugins with the ports and the services of the kernel', async () => {
    let got: Record<string, unknown> = {};
    const requires = { clock: Clock, random: Random, self: NodeSelf, facts: Facts, transport: Transport };
    const node = await startTestNode({
      plugins: [plugin('a', ({ use }) => void Object.assign(got, use), { requires })],
    });
    expect(Object.keys(got)).to.have.members(Object.keys(requires));
    expect(got['clock']).to.equal(node.clock);
    expect(got['facts']).to.equal(node.facts);
    got = {};
    await node.stop();
  });

  it('uses a port that a plugin provides in place of the adapter', async () => {
    const served: string[] = [];
    const transport: Transport = {
      serve: async ({ endpoints }) => {
        served.push(...endpoints.map(({ path }) => path));
        return { url: 'http://replaced.example', close: async () => void served.push('closed') };
      },
      send: async () => never as never,
      refusal: async () => undefined,
    };
    const replaced = plugin(
      'a',
      ({ provide, route }) => {
        provide(Transport, transport);
        route({
          method: 'POST',
          path: '/v1/x',
          summary: '',
          access: 'open',
          bodyForm: 'none',
          answers: {},
          handle: () => ({ status: 200 }),
        });
      },
      { provides: [Transport as Ref<unknown>] },
    );
    const node = await startTestNode({ plugins: [replaced] });
    await node.stop();
    expect(served).to.deep.equal(['/v1/x', 'closed']);
  });

  it('stops the earlier plugins, and the store, when a later plugin fails', async () => {
    const events: string[] = [];
    const first = plugin('a', ({ onStop }) => onStop(() => void events.push('a stops')));
    const second = plugin('b', ({ onStop }) => {
      onStop(() => void events.push('b stops'));
      throw new Error('no');
    });
    const third = plugin('c', () => void events.push('c is set up'));
    await rejection(startTestNode({ plugins: [first, second, third] }));
    expect(events).to.deep.equal(['b stops', 'a stops']);
  });

  it('allows a plugin ten seconds for its setup', async () => {
    const clock = createManualClock();
    let hasBegun = false;
    const slow = plugin('slow', () => {
      hasBegun = true;
      return never;
    });
    const starting = rejection(startTestNode({ clock, plugins: [slow] }));
    do await new Promise((resolve) => setImmediate(resolve));
    while (!hasBegun);
    await clock.advance(SETUP_LIMIT_MS);
    expect((await starting).message).to.include('slow failed in setup: slow took too long to set up');
  });

  it('continues without a plugin that fails to stop in time, and logs it', async () => {
    const events: string[] = [];
    const node = await startTestNode({
      plugins: [
        plugin('a', ({ onStop }) => onStop(() => void events.push('a stops'))),
        plugin('b', ({ onStop }) => {
          onStop(() => void events.push('b stops'));
          onStop(() => {
            throw new Error('cannot');
          });
        }),
        plugin('c', ({ onStop }) => onStop(() => never)),
      ],
    });
    const stopping = node.stop();
    while (node.clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    await node.clock.advance(STOP_LIMIT_MS);
    await stopping;
    expect(events).to.deep.equal(['b stops', 'a stops']);
    const errors = node.logLines.filter(({ level }) => level === 'error');
    expect(errors.map(({ message, fields }) => [message, fields['plugin'] ?? fields['part']])).to.deep.equal([
      ['a part of the node failed to stop', 'c'],
      ['a plugin failed to stop', 'b'],
    ]);
  });

  it('accepts registrations only during setup', async () => {
    let late: Context | undefined;
    const node = await startTestNode({
      plugins: [
        plugin('a', (context) => {
          late = context as Context;
        }),
      ],
    });
    const calls: readonly ((context: Context) => void)[] = [
      (context) => context.on(defineEventHook('thing:happened'), () => undefined),
      (context) =>
        context.route({
          method: 'POST',
          path: '/v1/x',
          summary: '',
          access: 'open',
          bodyForm: 'none',
          answers: {},
          handle: () => ({ status: 200 }),
        }),
      (context) => context.provide(service('a'), 'x'),
      (context) => context.every(1000, () => undefined),
      (context) => context.onStop(() => undefined),
    ];
    for (const call of calls) expect(() => call(late as Context)).to.throw('after its setup');
    await node.stop();
  });

  it('repeats tasks one interval after the previous run has ended, until the node stops', async () => {
    const runs: number[] = [];
    let release = (): void => {};
    const node = await startTestNode({
      plugins: [
        plugin('a', ({ every }) =>
          every(1000, async () => {
            runs.push(node.clock.monotonicMs());
            if (runs.length === 2)
              await new Promise<void>((resolve) => {
                release = resolve;
              });
            if (runs.length === 3) throw new Error('this time it fails');
          }),
        ),
      ],
    });
    await node.clock.advance(999);
    expect(runs).to.deep.equal([]);
    await node.clock.advance(1);
    await node.clock.advance(1000);
    // The second run is still in progress, so no third run overlaps it.
    await node.clock.advance(5000);
    expect(runs).to.deep.equal([1000, 2000]);
    release();
    await new Promise((resolve) => setImmediate(resolve));
    await node.clock.advance(2500);
    expect(runs).to.deep.equal([1000, 2000, 8000, 9000]);
    expect(node.logLines.filter(({ message }) => message === 'a repeated task failed')).to.have.length(1);
    await node.stop();
    await node.clock.advance(5000);
    expect(runs).to.have.length(4);
  });

  it('logs a task that failed in an outage as a warning', async () => {
    const failures: Error[] = [new ServiceError('unavailable', 'the database is away'), new Error('a bug')];
    const node = await startTestNode({
      plugins: [
        plugin('a', ({ every }) =>
          every(1000, () => {
            const failure = failures.shift();
            if (failure !== undefined) throw failure;
          }),
        ),
      ],
    });
    await node.clock.advance(5000);
    const lines = node.logLines.filter(({ message }) => String(message).startsWith('a repeated task'));
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn', 'error']);
    await node.stop();
  });

  it('waits for a running task before it runs the tasks of onStop', async () => {
    const events: string[] = [];
    let release = (): void => {};
    const node = await startTestNode({
      plugins: [
        plugin('a', ({ every, onStop }) => {
          every(1000, async () => {
            await new Promise<void>((resolve) => {
              release = resolve;
            });
            events.push('task ends');
          });
          onStop(() => void events.push('stops'));
        }),
      ],
    });
    await node.clock.advance(1000);
    const stopping = node.stop();
    release();
    await stopping;
    expect(events).to.deep.equal(['task ends', 'stops']);
  });
});
