import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import type { FactStore } from '../../ports/ports.ts';
import { createMemoryLogger } from '../fakes/memory-logger.ts';
import { FEW_PLUGINS } from '../kit/few-plugins.ts';
import { forEachStore, type StoreKind } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeVariables } from '../kit/node-processes.ts';
import { placeTestStore } from '../kit/test-store.ts';
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

const appliedIn = (store: FactStore): Promise<string[]> =>
  store.read((snapshot) => snapshot.table('schema_migrations').orderBy('version').pluck('version'));

/** Returns the migrations that a single node applies to an empty store. */
const ledgerOfOne = async (kind: StoreKind, plugins: typeof FEW_PLUGINS): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  const place = await placeTestStore(kind, folder);
  const node = await createNode({
    env: {},
    overrides: { plugins, adapters: { store: place.settings } },
    adapters: { log: createMemoryLogger([]) },
  });
  try {
    await node.prepare();
  } finally {
    await node.stop();
  }
  const store = place.open();
  try {
    return await appliedIn(store);
  } finally {
    await store.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
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
  afterEach(() => processes?.stop());

  const startTogether = async (
    plugins: typeof FEW_PLUGINS,
    variables: NodeVariables,
    keyOf: () => string | undefined,
  ): Promise<void> => {
    processes = await NodeProcesses.on(store, plugins);
    const nodes = await processes.start(PROCESSES, variables);
    for (const node of nodes) expect(await node.isHealthy()).to.equal(true);
    const usual = await ledgerOfOne(store, plugins);
    expect(await appliedIn(processes.openStore()), 'migrations').to.deep.equal(usual);

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
        await startTogether({}, { SVC_BOOTSTRAP_KEY: undefined }, () =>
          readFileSync(join(dataFolder(), 'admin.key'), 'utf8').trim(),
        );
      });
    } else {
      it(`are one node, with the first key of the operator (start ${start})`, async function () {
        this.timeout(SECONDS_PER_START * 1000);
        await startTogether(FEW_PLUGINS, {}, () => undefined);
      });
    }
  }
});
