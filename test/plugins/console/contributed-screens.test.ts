import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { type ConsoleScreen, consoleScreens } from '../../../plugins/console/console-api.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const SCREEN: ConsoleScreen = {
  name: 'bills',
  title: 'Bills',
  permissions: ['admin'],
  script: "export const mount = ({ element }) => { element.textContent = 'bills'; };",
  style: '.screen-bills { font-weight: 600; }',
};

const withScreen = (name: string, screen: ConsoleScreen) =>
  defineOwnPlugin({
    name,
    setup({ on }) {
      on(consoleScreens, () => screen);
    },
  });

describe('a screen that a plugin adds to the console', () => {
  let node: TestNode | undefined;
  afterEach(async () => {
    await node?.stop();
    node = undefined;
  });

  const start = async (...screens: readonly ConsoleScreen[]): Promise<TestNode> => {
    const plugins = screens.map((screen, at) => withScreen(`screens-${at}`, screen));
    node = await startTestNode({ plugins: ['keys', 'facts', 'node-info', 'console', ...plugins] });
    return node;
  };

  it('is listed with its title, permissions and files, which are served unchanged', async () => {
    const { request } = await start(SCREEN);
    const { body } = await request('GET', '/console/setup.json');
    const [listed] = body.screens;
    expect(listed).to.deep.include({ name: 'bills', title: 'Bills', permissions: ['admin'] });
    const script = await request('GET', `/console/files/${listed.script}`);
    expect(script).to.deep.include({ status: 200, text: SCREEN.script });
    expect(script.headers['content-type']).to.equal('text/javascript; charset=utf-8');
    const style = await request('GET', `/console/files/${listed.style}`);
    expect(style).to.deep.include({ status: 200, text: SCREEN.style });
  });

  it('changes the names of its files with their content', async () => {
    const namesOf = async (screen: ConsoleScreen) => {
      const { request, stop } = await start(screen);
      const { body } = await request('GET', '/console/setup.json');
      await stop();
      return body.screens[0].script as string;
    };
    const first = await namesOf(SCREEN);
    expect(await namesOf(SCREEN)).to.equal(first);
    expect(await namesOf({ ...SCREEN, script: `${SCREEN.script}\n` })).to.not.equal(first);
  });

  it('stops the start if its name is invalid, used twice, or taken by the console', async () => {
    for (const screens of [[{ ...SCREEN, name: '../x' }], [SCREEN, SCREEN], [{ ...SCREEN, name: 'facts' }]]) {
      const problem = await rejection(start(...screens));
      expect(String(problem)).to.contain(screens[0]?.name ?? '');
    }
  });
});
