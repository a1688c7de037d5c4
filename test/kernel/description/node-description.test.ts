import { expect } from 'chai';
import type { DescribedNode } from '../../../kernel/internal-api.ts';
import { definePlugin, KERNEL_API, NO_BODY, NodeDescription, nodeHealth, schema } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

/** A minimal console plugin, which shows the description of the node. */
const consolePlugin = (shown: DescribedNode[]): AnyPlugin =>
  definePlugin({
    name: 'console',
    version: '2.1.0',
    kernelApi: KERNEL_API,
    summary: 'Shows what the node is made of',
    requires: { description: NodeDescription },
    config: schema<{ title: string; password: string }>({
      type: 'object',
      properties: {
        title: { type: 'string', default: 'Node', env: 'CONSOLE_TITLE', description: 'heading of the page' },
        password: { type: 'string', default: '', writeOnly: true },
      },
    }),
    setup({ use, route, on, every }) {
      on(nodeHealth, () => undefined);
      every(5_000, () => undefined);
      route({
        method: 'POST',
        path: '/v1/console/:page',
        summary: 'one page of the console',
        access: { permission: ['admin', 'read'] },
        params: schema<{ page: string }>({ type: 'object', properties: { page: { type: 'string' } } }),
        body: schema<{ depth?: number }>({ type: 'object', properties: { depth: { type: 'integer' } } }),
        answers: { 204: NO_BODY },
        handle: async () => {
          shown.push(await use.description.read());
          return { status: 204 };
        },
      });
    },
  });

describe('the description of a node', () => {
  let node: DescribedNode;

  before(async () => {
    const shown: DescribedNode[] = [];
    const running = await startTestNode({
      plugins: ['facts', consolePlugin(shown)],
      settings: { console: { password: 'hunter22' } },
      env: { CONSOLE_TITLE: 'Ours' },
    });
    const key = await running.addKey();
    await running.request('POST', '/v1/console/home', { key, body: {} });
    await running.stop();
    const [read] = shown;
    if (read === undefined) throw new Error('the console was not asked');
    node = read;
  });

  it('names the enabled plugins in the order of setup, and then the disabled ones', () => {
    const on = node.plugins.filter(({ enabled }) => enabled).map(({ name }) => name);
    expect(on).to.include('facts').and.to.include('console');
    expect(node.plugins.slice(0, on.length).map(({ name }) => name)).to.deep.equal(on);
    expect(node.plugins.find(({ name }) => name === 'recall')).to.include({ enabled: false });
    expect(node.plugins.find(({ name }) => name === 'console')).to.deep.equal({
      name: 'console',
      enabled: true,
      version: '2.1.0',
      summary: 'Shows what the node is made of',
      requires: ['kernel.node-description'],
      provides: [],
    });
  });

  it('lists each route with its schemas and required permissions', () => {
    const route = node.routes.find(({ plugin }) => plugin === 'console');
    expect(route).to.include({ method: 'POST', path: '/v1/console/:page', access: 'admin or read', bodyForm: 'json' });
    expect(route?.permissions).to.deep.equal(['admin', 'read']);
    expect(route?.params).to.have.nested.property('properties.page');
    expect(route?.body).to.have.nested.property('properties.depth');
    expect(route?.query).to.equal(undefined);
  });

  it('shows the value and source of every setting, and hides secrets', () => {
    const mine = node.settings.filter(({ owner }) => owner === 'plugins.console');
    expect(mine.find(({ key }) => key === 'title')).to.deep.equal({
      owner: 'plugins.console',
      key: 'title',
      variable: 'CONSOLE_TITLE',
      description: 'heading of the page',
      accepts: 'text',
      default: 'Node',
      value: 'Ours',
      origin: 'environment',
    });
    expect(mine.find(({ key }) => key === 'password')).to.include({ value: '(set)', origin: 'command' });
    expect(JSON.stringify(node)).not.to.contain('hunter22');
  });

  it('lists the handlers of each hook, and the repeated tasks', () => {
    const health = node.hooks.find(({ hook }) => hook === nodeHealth.id);
    expect(health?.handlers.map(({ plugin }) => plugin)).to.deep.equal(['kernel', 'console']);
    expect(node.tasks).to.deep.include({ plugin: 'console', intervalMs: 5_000 });
  });

  it('lists the words with their owners, and the schemas that answers refer to', () => {
    const owners = node.words.map(({ owner, word }) => `${owner}: ${word.vocabulary} ${word.id}`);
    expect(owners).to.include.members(['kernel: error code validation', 'kernel: permission read']);
    expect(Object.keys(node.components)).to.include('Fact');
    expect(node.routes.find(({ plugin }) => plugin === 'console')?.answers).to.deep.equal({ 204: {} });
  });

  it('is unchanged after a JSON round trip', () => {
    expect(JSON.parse(JSON.stringify(node)))
      .to.have.property('routes')
      .with.length(node.routes.length);
  });
});
