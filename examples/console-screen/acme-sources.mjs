// Adds a screen to the console that counts the latest facts by source.
import { consoleScreens } from 'fact-memory-node/console-api';
import { definePlugin } from 'fact-memory-node/plugin';

// Runs in the browser. It imports nothing, and sends requests with the reader's credential.
const script = `
const count = (facts) => {
  const sources = new Map();
  for (const { source } of facts) sources.set(source, (sources.get(source) ?? 0) + 1);
  return [...sources].sort(([, one], [, other]) => other - one);
};

export const mount = async ({ element, ask }) => {
  const { facts } = await ask('GET', '/v1/facts?limit=500&fields=source');
  const list = document.createElement('ol');
  for (const [source, number] of count(facts)) {
    const item = document.createElement('li');
    item.textContent = source + ': ' + number;
    list.append(item);
  }
  element.append(facts.length === 0 ? 'No facts yet.' : list);
};
`;

export const acmeSources = definePlugin({
  name: 'acme-sources',
  version: '1.0.0',
  kernelApi: 1,
  summary: 'shows in the console who said how much',
  setup({ on }) {
    on(consoleScreens, () => ({
      name: 'acme-sources',
      title: 'Who said how much',
      permissions: ['read'],
      script,
      style: '.screen-acme-sources li { font-variant-numeric: tabular-nums; }',
    }));
  },
});
