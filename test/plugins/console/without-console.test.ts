import { expect } from 'chai';
import { startTestNode } from '../../kit/start-test-node.ts';

const OTHERS = ['keys', 'facts', 'node-info', 'openapi'];

describe('a node without the console', () => {
  const look = async (plugins: readonly string[]) => {
    const node = await startTestNode({ plugins: [...plugins] });
    try {
      const { body: document } = await node.request('GET', '/openapi.json');
      const statuses: number[] = [];
      for (const path of ['/console', '/console/', '/console/facts', '/console/setup.json', '/console/files/main.js']) {
        statuses.push((await node.request('GET', path)).status);
      }
      const { text: entrance } = await node.request('GET', '/', { headers: { Accept: 'text/html' } });
      const paths = Object.keys(document.paths).filter((path) => path.startsWith('/console'));
      const links = [...entrance.matchAll(/href="(console[^".]*)"/g)].map(([, path]) => path);
      return { statuses: [...new Set(statuses)], paths, links };
    } finally {
      await node.stop();
    }
  };

  it('serves no page, lists no route of it in its document, and has no link to it', async () => {
    expect(await look(OTHERS)).to.deep.equal({ statuses: [404], paths: [], links: [] });
  });

  it('has no link on its start page, unlike a node with the console', async () => {
    const { paths, links } = await look([...OTHERS, 'console']);
    expect(paths).to.include('/console/');
    expect(links).to.deep.equal(['console/']);
  });
});
