import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { count } from '../crash/crash-counts.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';

const CLIENTS = 16;
const FACTS = count('SVC_TEST_SOAK_FACTS', 200, 20_000);
const SOAK_MS = count('SVC_TEST_SOAK_S', 0, 600) * 1_000;
/** The reads of all clients before the soak, which fill the caches of the node. */
const FIRST_READS = count('SVC_TEST_SOAK_READS', 160, 1_000);
const BATCH = 100;
const MIB = 1024 * 1024;
/**
 * The growth after the caches are full. The caches of facts and of answers take 96 MiB at most, the pages of 32 readers
 * 128 MiB, and the heap of the engine grows to its usual size meanwhile.
 */
const MOST_GROWTH_BYTES = 320 * MIB;
/** 32 readers, the writer, and two connections that watch; each has the file and its log open. */
const MOST_MORE_DESCRIPTORS = 70;

const READS = [
  '/v1/facts?limit=100',
  '/v1/facts?relation=memory:note&limit=50',
  '/v1/facts?entity=user:7',
  '/v1/graph/neighbors?entity=user:7',
  '/v1/conflicts?limit=20',
  '/v1/lint',
];

const residentBytes = ({ child }: NodeProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;

const descriptors = ({ child }: NodeProcess): number => readdirSync(`/proc/${child.pid}/fd`).length;

describe('a node on SQLite under parallel reads', () => {
  let nodes: NodeProcesses;
  beforeEach(async () => {
    nodes = await NodeProcesses.on('sqlite');
  });
  afterEach(() => nodes.stop());

  it(`keeps its descriptors and its memory within bounds for ${SOAK_MS / 1_000} s`, async function () {
    // Reads are slow on a busy machine, and this test limits no times.
    this.timeout(SOAK_MS + 1_800_000);
    if (!existsSync('/proc/self/fd')) return;
    const [node] = (await nodes.start(1)) as [NodeProcess];
    await store(node);
    let [mostBytes, mostDescriptors] = [0, 0];
    const client = async (goesOn: (done: number) => boolean): Promise<void> => {
      for (let done = 0; goesOn(done); done += 1) {
        const path = READS[done % READS.length] as string;
        const { status } = await node.request('GET', path.replace('user:7', `user:${done % FACTS}`));
        expect(status, path).to.equal(200);
        mostBytes = Math.max(mostBytes, residentBytes(node));
        mostDescriptors = Math.max(mostDescriptors, descriptors(node));
      }
    };
    const soak = (goesOn: (done: number) => boolean) =>
      Promise.all(Array.from({ length: CLIENTS }, () => client(goesOn)));
    const idle = descriptors(node);
    let first = 0;
    await soak(() => first++ < FIRST_READS);
    const settled = mostBytes;
    const end = performance.now() + SOAK_MS;
    await soak(() => performance.now() < end);
    expect((mostBytes - settled) / MIB, 'MiB').to.be.at.most(MOST_GROWTH_BYTES / MIB);
    // Sockets of the clients count as well.
    expect(mostDescriptors - idle).to.be.at.most(MOST_MORE_DESCRIPTORS + CLIENTS);
  });
});

const store = async (node: NodeProcess): Promise<void> => {
  for (let from = 0; from < FACTS; from += BATCH) {
    const facts = Array.from({ length: Math.min(BATCH, FACTS - from) }, (_, at) => ({
      entity: `user:${from + at}`,
      relation: 'memory:note',
      value: { type: 'string', v: `note ${from + at} of a person who reads a lot` },
      source: 'agent:soak',
    }));
    expect((await node.request('POST', '/v1/facts/batch', facts)).status).to.be.below(300);
  }
};
