import { expect } from 'chai';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { RECALLS_UNDER_LOAD } from './process-counts.ts';

const PAGE = 500;
const WORDS = 'meadow anchor violet copper saddle thicket beacon gravel orchard pebble lantern timber'.split(' ');

const note = (entity: string, v: string): object => ({
  entity,
  relation: 'memory:note',
  value: { type: 'text', v },
  source: 'agent:s',
});

/** Stores pages of facts with words that no query contains, until `isOver`. Counts the stored pages in `loaded`. */
const loadUntil = async (node: NodeProcess, loaded: { pages: number }, isOver: () => boolean): Promise<void> => {
  for (let page = 0; !isOver(); page += 1) {
    const facts = Array.from({ length: PAGE }, (_, at) => {
      const n = page * PAGE + at;
      const words = Array.from({ length: 20 }, (_, place) => WORDS[(n * (place + 3) + place) % WORDS.length]);
      return note(`bulk:${n}`, words.join(' '));
    });
    const reply = await node.request('POST', '/v1/facts/batch', facts);
    expect(reply.status, JSON.stringify(reply.body).slice(0, 500)).to.equal(200);
    loaded.pages += 1;
  }
};

const write = async (node: NodeProcess, entity: string, v: string): Promise<string> => {
  const reply = await node.request('POST', '/v1/facts', note(entity, v));
  expect(reply.status, JSON.stringify(reply.body)).to.equal(201);
  return reply.body.id;
};

const recalled = async (node: NodeProcess, query: string): Promise<string[]> => {
  const reply = await node.request('POST', '/v1/recall', { query, token_budget: 4_000 });
  expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
  return reply.body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
};

forEachStore('A newly stored fact', (store) => {
  let processes: NodeProcesses;
  let nodes: NodeProcess[];
  beforeEach(async () => {
    processes = await NodeProcesses.on(store, fewPlugins('recall', 'search'));
    nodes = await processes.start(2);
  });
  afterEach(() => processes?.stop());

  it('is found at once by recall in its process and in another one, while thousands of facts are loaded', async () => {
    const [one, other] = nodes as [NodeProcess, NodeProcess];
    const loaded = { pages: 0 };
    const writeAndRecall = async (): Promise<void> => {
      for (let round = 0; round < RECALLS_UNDER_LOAD || loaded.pages < 2; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
        const id = await write(writer, `box:${round}x`, `the marvellous zeppelin ${round}x`);
        const query = `zeppelin ${round}x`;
        expect(await recalled(reader, query), `round ${round}, other process`).to.include(id);
        expect(await recalled(writer, query), `round ${round}, same process`).to.include(id);
      }
    };
    let isOver = false;
    const rounds = writeAndRecall().finally(() => {
      isOver = true;
    });
    await Promise.all([loadUntil(one, loaded, () => isOver), rounds]);
    expect(loaded.pages, 'pages stored meanwhile').to.be.above(1);
  });
});
