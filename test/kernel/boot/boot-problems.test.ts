import { expect } from 'chai';
import type { Ref } from '../../../kernel/internal-api.ts';
import {
  Authorizer,
  Clock,
  defineCollectHook,
  defineRef,
  KERNEL_API,
  NO_BODY,
  optional,
  type Plugin,
  ServiceError,
  schema,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { FactStore } from '../../../ports/ports.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';

const plugin = (name: string, more: Partial<Plugin> = {}): AnyPlugin => ({
  name,
  version: '1.0.0',
  kernelApi: KERNEL_API,
  setup: () => undefined,
  ...more,
});
const Queue = defineRef<string>('queue.service');

const problemsOf = async (options: TestNodeOptions): Promise<readonly { message: string; hint?: string }[]> => {
  const error = await rejection(startTestNode(options));
  if (!(error instanceof BootError)) throw error;
  return error.problems;
};
const problems = (...plugins: AnyPlugin[]) => problemsOf({ plugins });
const only = async (...plugins: AnyPlugin[]): Promise<string> => {
  const found = await problems(...plugins);
  expect(found).to.have.length(1);
  return `${found[0]?.message} / ${found[0]?.hint ?? ''}`;
};

describe('a node that cannot start', () => {
  it('reports every problem at once, each with a hint', async () => {
    const found = await problemsOf({
      plugins: ['conflicts', plugin('needy', { requires: { queue: Queue } }), plugin('old', { kernelApi: 7 as 1 })],
      settings: { conflicts: { mode: 'loose', speed: 1 } },
      env: { SVC_PORT: 'high', SVC_MAX_BODY_BYTES: '1' },
      node: { nonsense: true },
    });
    expect(found.map(({ message }) => message)).to.have.members([
      'SVC_PORT accepts a whole number from 0 to 65535',
      'SVC_MAX_BODY_BYTES accepts a whole number from 1024 to 67108864',
      'node.nonsense is not a setting',
      'plugins.conflicts.mode accepts one of record, strict',
      'plugins.conflicts.speed is not a setting',
      'needy requires queue.service',
      'old is written for version 7 of the kernel interface, this node has 1',
    ]);
  });

  it('reports an invalid variable once, even if several plugins read it', async () => {
    const found = await problemsOf({ plugins: ['node-info'], env: { SVC_CORS_DEV_LOCALHOST: 'often' } });
    expect(found.map(({ message }) => message)).to.deep.equal([
      'SVC_CORS_DEV_LOCALHOST accepts true or false (1 or 0)',
    ]);
  });

  it('reports all problems in one message', async () => {
    const error = await rejection(
      startTestNode({ plugins: [plugin('Bad'), plugin('needy', { requires: { queue: Queue } })] }),
    );
    expect(error).to.be.instanceOf(ServiceError);
    expect(error.message).to.match(
      /^the node cannot start:\n {2}- .*"Bad".*\n {2}- needy requires queue\.service \(enable/,
    );
  });

  it('names plugins whose commands share a name or use a reserved one', async () => {
    const command = (name: string): Pick<Plugin, 'commands'> => ({
      commands: [{ name, summary: 'x', needs: 'nothing', run: () => undefined }],
    });
    const found = await problems(
      plugin('one', command('brew')),
      plugin('two', command('brew')),
      plugin('three', command('start')),
      plugin('four', command('Brew it')),
    );
    expect(found.map(({ message }) => message)).to.have.members([
      'the command brew belongs to one and to two',
      'the command start belongs to the node and to three',
      'a command of four cannot be named "Brew it"',
    ]);
  });

  it('names the plugin of the package that would provide a missing ref', async () => {
    const Registry = defineRef<unknown>('keys.registry');
    expect(await only(plugin('needy', { requires: { registry: Registry } }))).to.equal(
      `needy requires keys.registry / enable 'keys', or leave needy out as well`,
    );
  });

  it('accepts a missing ref that is optional', async () => {
    let got: unknown = 'untouched';
    const node = await startTestNode({
      plugins: [
        plugin('easy', {
          requires: { queue: optional(Queue) },
          setup: ({ use }) => {
            got = use['queue'];
          },
        }),
      ],
    });
    expect(got).to.equal(undefined);
    await node.stop();
  });

  it('requires keys, but has no plugin that checks them', async () => {
    const found = await problemsOf({
      plugins: [plugin('any', { provides: [Authorizer as Ref<unknown>] })],
      node: { authRequired: true },
    });
    expect(found.map(({ message }) => message)).to.deep.equal(['any declares port.authorizer but never provided it']);
    const { createNode } = await import('../../../config/create-node.ts');
    const error = await rejection(createNode({ env: {}, overrides: { plugins: { keys: false, facts: false } } }));
    expect(error.message).to.include("requests need a key, but no plugin checks keys (enable 'keys'");
  });

  it('has plugins that do not fit together, and the error names them', async () => {
    const provides = [Queue as Ref<unknown>];
    expect(await only(plugin('a', { provides }), plugin('b', { provides }))).to.include(
      'queue.service is provided by a and by b',
    );
    expect(await only(plugin('a', { provides, requires: { queue: Queue } }))).to.include(
      'a both requires and provides queue.service',
    );
    expect(await only(plugin('a'), plugin('a'))).to.include('two plugins are named a');
    expect(await only(plugin('acme'), plugin('acme-notes'))).to.include('cannot be told apart: both start with acme_');
    expect(await only(plugin('a', { provides: [Clock as Ref<unknown>] }))).to.include("it is the kernel's own");
    expect(await only(plugin('a', { requires: { store: FactStore } }))).to.include('which plugins do not get');
  });

  it('has a plugin with an invalid name, version or ref', async () => {
    for (const name of ['Big', 'under_score', '-a', 'a-', 'a--b', '', 'kernel', 'node', 'fact']) {
      expect(await only(plugin(name))).to.include('a plugin cannot be named');
    }
    expect(await only(plugin('a', { version: '' }))).to.include('a has no version');
    expect(await only(plugin('a', { requires: { x: 'text' as unknown as Ref<unknown> } }))).to.include('is not a ref');
    expect(await only(plugin('a', { provides: [42 as unknown as Ref<unknown>] }))).to.include('is not a ref');
  });

  it('has routes that collide or cannot be compiled', async () => {
    const answers = { 200: NO_BODY };
    const route = { method: 'GET', summary: 'x', access: 'open', answers, handle: () => ({ status: 200 }) } as const;
    const withRoute = (name: string, path: string) =>
      plugin(name, { setup: (context) => context.route({ ...route, path }) });
    expect(await only(withRoute('a', '/v1/x/:id'), withRoute('b', '/v1/x/:other'))).to.match(/"a" and by "b"/);
    expect(await only(withRoute('a', 'v1'))).to.include('must start with a slash');
    const broken = { ...route, path: '/v1/x', query: schema<unknown>({ type: 'nonsense' }) };
    expect(await only(plugin('a', { setup: (context) => context.route(broken) }))).to.include(
      'routes cannot be compiled',
    );
  });

  it('has a route without access, body or answers, and the error names plugin and route', async () => {
    const withRoute = (more: object) =>
      plugin('acme', {
        setup: ({ route }) =>
          route({
            method: 'POST',
            path: '/v1/x',
            summary: 'x',
            answers: { 200: NO_BODY },
            handle: () => ({ status: 200 }),
            ...more,
          } as never),
      });
    const body = schema<unknown>({ type: 'object' });
    const name = 'plugin "acme": the route POST /v1/x';
    expect(await only(withRoute({ body }))).to.match(new RegExp(`^${name} has no access / say who may call it: `));
    for (const access of ['public', {}, { permission: 7 }, { permission: [] }, { permission: ['read', 'any'] }, null]) {
      expect(await only(withRoute({ body, access })), JSON.stringify(access)).to.include(
        `${name} has an access that is none`,
      );
    }
    for (const access of [{ permission: 'all' }, { permission: ['read', 'all'] }]) {
      expect(await only(withRoute({ body, access })), JSON.stringify(access)).to.include(
        `${name} asks for the permission all, which nobody declares`,
      );
    }
    const access = { permission: 'read' };
    for (const more of [{}, { bodyOptional: true }, { bodyLimit: 'bulk' }, { bodyForm: 'json' }]) {
      expect(await only(withRoute({ access, ...more }))).to.match(
        new RegExp(`^${name} reads a body without a schema / describe the body: `),
      );
    }
    for (const answers of [undefined, null]) {
      expect(await only(withRoute({ access, body, answers }))).to.include(`${name} does not say what it returns`);
    }
    expect(await only(withRoute({ access, body, handle: undefined }))).to.include(`${name} has no handle function`);
    expect(await only(withRoute({ access, body, method: 'FETCH' }))).to.include(
      'FETCH /v1/x has a method that no route',
    );
    for (const part of ['params', 'query', 'body']) {
      const answer = await only(withRoute({ access, body, [part]: { type: 'object' } }));
      expect(answer).to.include(`${name} has a ${part} that is no schema / use the function: ${part}: schema({`);
    }
    for (const more of [{ body }, { bodyForm: 'items' }, { bodyForm: 'none' }, { body, bodyOptional: true }]) {
      const node = await startTestNode({ plugins: [withRoute({ access, ...more })] });
      await node.stop();
    }
  });

  it('has a plugin that throws in setup, an error or any other value', async () => {
    const failing = (error: unknown) =>
      plugin('a', {
        setup: () => {
          throw error;
        },
      });
    expect(await only(failing(new Error('no disk')))).to.equal(
      'a failed in setup: no disk / start with SVC_LOG_LEVEL=debug to see where',
    );
    const operating = new ServiceError('unavailable', 'no disk', { hint: 'buy one' });
    expect(await only(failing(operating))).to.equal('a failed in setup: no disk / buy one');
    expect(await only(failing('text'))).to.include('a failed in setup: text');
  });

  it('has a plugin that registers something undeclared, or registers twice', async () => {
    const doing = (setup: Plugin['setup']) => only(plugin('a', { provides: [Queue as Ref<unknown>], setup }));
    expect(await doing(({ provide }) => provide(defineRef<number>('other.service'), 1))).to.include(
      'provides other.service without naming it',
    );
    expect(
      await doing(({ provide }) => {
        provide(Queue, '1');
        provide(Queue, '2');
      }),
    ).to.include('provides queue.service twice');
    expect(await doing(() => undefined)).to.include('declares queue.service but never provided it');
  });

  it('has a plugin that repeats a task without an interval', async () => {
    for (const interval of [0, -1, Number.NaN, '10s' as never, true as never]) {
      expect(await only(plugin('a', { setup: ({ every }) => every(interval, () => undefined) }))).to.include(
        'repeats a task every',
      );
    }
  });

  it('has plugins that declare one hook with different kinds', async () => {
    const hook = defineCollectHook<string, string>('thing:happened');
    const other = { ...hook, kind: 'filter' } as unknown as typeof hook;
    const on = (name: string, token: typeof hook) => plugin(name, { setup: (context) => context.on(token, () => 'x') });
    expect(await only(on('a', hook), on('b', other))).to.include(
      'thing:happened is a collect hook, b takes it for a filter',
    );
  });
});
