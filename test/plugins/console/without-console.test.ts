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
      const links = [...entrance.matchAll(/href="(\/console[^".]*)"/g)].map(([, path]) => path);
      return { statuses: [...new Set(statuses)], paths, links };
    } finally {
      await node.stop();
    }
  };

  it('has no trace of it: no page, no route in its document, and no link at its entrance', async () => {
    expect(await look(OTHERS)).to.deep.equal({ statuses: [404], paths: [], links: [] });
  });

  it('differs from one with it, whose entrance leads there', async () => {
    const { paths, links } = await look([...OTHERS, 'console']);
    expect(paths).to.include('/console/');
    expect(links).to.deep.equal(['/console/']);
  });
});
