import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { forEachStore, type StoreKind } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeVariables } from '../kit/node-processes.ts';
import { FIRST_STARTS } from './process-counts.ts';

const PROCESSES = 4;
const SECONDS_PER_START = 300;
const FACTS = 6;

const assertion = (n: number) => ({
  entity: `first:${n}`,
  relation: 'memory:note',
  value: { type: 'string', v: `${n}` },
  source: 'agent:first',
  scope: 'company',
  confidence: 0.9,
});

const ledgerOf = (processes: NodeProcesses): Promise<string[]> =>
  processes.openStore().read((snapshot) => snapshot.table('schema_migrations').orderBy('version').pluck('version'));

/** Returns the migrations that a single process applies to an empty store. */
const ledgerOfOne = async (store: StoreKind): Promise<string[]> => {
  const processes = await NodeProcesses.on(store);
  try {
    await processes.start(1);
    return await ledgerOf(processes);
  } finally {
    await processes.stop();
  }
};

/** Reads all facts page by page, each page from the next process, with a key that all processes must accept. */
const readInTurns = async (nodes: readonly NodeProcess[], headers: Record<string, string>): Promise<unknown[]> => {
  const found: unknown[] = [];
  let query = '?limit=1';
  for (let page = 0; page <= FACTS; page += 1) {
    const node = nodes[page % nodes.length] as NodeProcess;
    const { status, body } = await node.request('GET', `/v1/facts${query}`, undefined, headers);
    expect(status, JSON.stringify(body)).to.equal(200);
    found.push(...body.facts.map(({ entity }: { entity: string }) => entity));
    if (body.cursor === null) return found;
    query = `?limit=1&cursor=${encodeURIComponent(body.cursor)}`;
  }
  throw new Error('the pages do not end');
};

forEachStore('Four processes that start at once on an empty store', (store) => {
  let processes: NodeProcesses;
  let usualLedger: readonly string[];
  before(async () => {
    usualLedger = await ledgerOfOne(store);
  });
  beforeEach(async () => {
    processes = await NodeProcesses.on(store);
  });
  afterEach(() => processes?.stop());

  const startTogether = async (variables: NodeVariables, keyOf: () => string | undefined): Promise<void> => {
    const nodes = await processes.start(PROCESSES, variables);
    for (const node of nodes) expect(await node.isHealthy()).to.equal(true);
    expect(await ledgerOf(processes), 'migrations').to.deep.equal(usualLedger);

    const identities = await Promise.all(nodes.map((node) => node.request('GET', '/.well-known/svc')));
    const [first] = identities;
    expect(first?.body.node_id).to.be.a('string');
    expect(first?.body.federation_pubkey).to.be.a('string');
    for (const { body } of identities) expect(body).to.deep.equal(first?.body);

    const key = keyOf();
    const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const keys = await (nodes[0] as NodeProcess).request('GET', '/v1/auth/keys', undefined, headers);
    expect(keys.body, 'keys').to.have.length(1);
    for (let n = 0; n < FACTS; n += 1) {
      const node = nodes[n % nodes.length] as NodeProcess;
      expect((await node.request('POST', '/v1/facts', assertion(n), headers)).status).to.equal(201);
    }
    expect(await readInTurns(nodes, headers)).to.have.members(Array.from({ length: FACTS }, (_, n) => `first:${n}`));
  };

  const dataFolder = (): string => (store === 'sqlite' ? dirname(processes.place) : join(processes.folder, 'data'));

  for (let start = 1; start <= FIRST_STARTS; start += 1) {
    if (start % 2 === 1) {
      it(`are one node, with one generated first key (start ${start})`, async function () {
        this.timeout(SECONDS_PER_START * 1000);
        await startTogether({ SVC_BOOTSTRAP_KEY: undefined }, () =>
          readFileSync(join(dataFolder(), 'admin.key'), 'utf8').trim(),
        );
      });
    } else {
      it(`are one node, with the first key of the operator (start ${start})`, async function () {
        this.timeout(SECONDS_PER_START * 1000);
        await startTogether({}, () => undefined);
      });
    }
  }
});
