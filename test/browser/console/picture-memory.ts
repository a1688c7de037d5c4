import type { ServedNode } from '../../kit/start-served-node.ts';

/** Fills a node with the made-up memory of the demonstration, and names addresses that show one thing of it. */
export const fillForPictures = async (served: ServedNode): Promise<Readonly<Record<string, string>>> => {
  const { exitCode, stderr } = await served.run(['demo', '--no-pause']);
  if (exitCode !== 0) throw new Error(stderr);
  const ask = async (path: string) => (await served.ask('GET', path)).body;
  const { facts } = await ask('/v1/facts?entity=demo:project:lantern&limit=1');
  await served.ask('POST', '/v1/facts', {
    entity: 'demo:project:lantern',
    relation: 'memory:opening',
    value: { type: 'string', v: '1 July' },
    source: 'demo:agent:inbox',
    scope: 'team',
  });
  return {
    'one-fact': `facts?id=${facts[0].id}`,
    'one-entity': 'entities?uri=demo:project:lantern',
    'one-recall': `recall?q=${encodeURIComponent('When does the guide open?')}`,
  };
};
