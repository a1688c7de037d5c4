import { expect } from 'chai';
import type { Ref } from '../../../kernel/internal-api.ts';
import { defineRef, KERNEL_API, type Plugin, type PluginContext, type Requires } from '../../../kernel/plugin-api.ts';
import { checkPlugin } from '../../../kernel/plugins/check-plugin.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const plugin = (name: string, more: Partial<Plugin> = {}): AnyPlugin => ({
  name,
  version: '1.0.0',
  kernelApi: KERNEL_API,
  setup: () => undefined,
  ...more,
});
const Queue = defineRef<string>('queue.service');

const only = async (...plugins: AnyPlugin[]): Promise<string> => {
  const error = await rejection(startTestNode({ plugins }));
  if (!(error instanceof BootError)) throw error;
  expect(error.problems).to.have.length(1);
  return `${error.problems[0]?.message} / ${error.problems[0]?.hint ?? ''}`;
};

describe('a plugin in JavaScript, which may hold anything,', () => {
  it('stops the start by a part of another form, and the error names the part', async () => {
    const of = (part: string, value: unknown): string => {
      const found = checkPlugin(plugin('a', { [part]: value }));
      expect(found, part).to.have.length(1);
      return `${found[0]?.message} / ${found[0]?.hint}`;
    };
    for (const part of ['provides', 'declares', 'migrations', 'sealed', 'contents', 'journals', 'commands']) {
      for (const value of [null, 'text', 7, {}, () => undefined]) {
        expect(of(part, value)).to.include(`a has a ${part} that is no list / write the items in square`);
      }
      for (const item of [null, undefined, 'text', 7]) {
        expect(of(part, [item])).to.match(/^a (?:has an?|declares|requires or provides) .+ \/ .+/);
      }
    }
    for (const requires of ['text', 7, true, [null], { x: null }]) {
      expect(of('requires', requires)).to.include('is not a ref');
    }
    for (const command of [{}, { name: 'brew' }, { name: 'brew', commands: [{}] }, { name: 'brew', commands: 'x' }]) {
      expect(of('commands', [command])).to.include('a has a command without a name or a run function');
    }
    expect(await only(plugin('a', { declares: null as never }))).to.include('is no list');
  });

  it('stops the start by a misspelled member, and the error names the member that was meant', async () => {
    expect(await only(plugin('a', { requries: {} } as Partial<Plugin>))).to.equal(
      'a has a member requries, which no plugin has / did you mean requires?',
    );
    expect(await only(plugin('a', { migration: [] } as Partial<Plugin>))).to.include('did you mean migrations?');
    const node = await startTestNode({ plugins: [plugin('a', { cache: new Map() } as Partial<Plugin>)] });
    await node.stop();
  });

  it('may be an object of a class with a member that resembles one of its methods', () => {
    class Brewer {
      readonly name = 'a';
      readonly version = '1.0.0';
      readonly kernelApi = KERNEL_API;
      readonly setups = 0;
      setup(): void {}
    }
    expect(checkPlugin(new Brewer())).to.deep.equal([]);
  });

  it('stops the start by passing something other than a function, a route or a service', async () => {
    const doing = (setup: (context: PluginContext<Requires, unknown>) => void) =>
      only(plugin('a', { provides: [Queue as Ref<unknown>], setup }));
    for (const value of [undefined, null, 'text', 7, {}]) {
      const task = value as never;
      expect(await doing(({ onStart }) => onStart(task))).to.include(
        'a calls onStart with something that is no function',
      );
      expect(await doing(({ onStop }) => onStop(task))).to.include('a calls onStop with something that is no function');
      expect(await doing(({ every }) => every(1_000, task))).to.include(
        'a calls every with something that is no function',
      );
      expect(await doing(({ onSignal }) => onSignal('x', task))).to.include(
        'a calls onSignal with something that is no function',
      );
      expect(await doing(({ route }) => route(task))).to.include('a calls route without a path');
    }
    expect(await doing(({ route }) => route({ method: 'GET' } as never))).to.include('a calls route without a path');
    for (const service of [undefined, null]) {
      expect(await doing(({ provide }) => provide(Queue, service as never))).to.include(
        'a provides nothing as queue.service',
      );
    }
  });
});
