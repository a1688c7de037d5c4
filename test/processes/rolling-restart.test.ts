import { expect } from 'chai';
import { type BalancingProxy, startBalancingProxy } from '../kit/balancing-proxy.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { ROLLED_PROCESSES, ROLLED_REQUESTS } from './process-counts.ts';

const CLIENTS = 8;
const SHOWN = 5;
const DRAIN_SECONDS = '1';

describe('Processes on PostgreSQL that are replaced one after another behind a proxy', () => {
  let processes: NodeProcesses;
  let proxy: BalancingProxy;
  beforeEach(async () => {
    processes = await NodeProcesses.on('postgres');
    proxy = await startBalancingProxy();
  });
  afterEach(async () => {
    await proxy?.close();
    await processes?.stop();
  });

  const start = async (): Promise<NodeProcess> => {
    const [node] = await processes.start(1, { SVC_DRAIN_DELAY_S: DRAIN_SECONDS });
    await proxy.add((node as NodeProcess).url);
    return node as NodeProcess;
  };

  it('fail no request, neither reads nor writes', async function () {
    this.timeout(300_000);
    const old: NodeProcess[] = [];
    for (let n = 0; n < ROLLED_PROCESSES; n += 1) old.push(await start());
    const key = old[0]?.key;
    const failures: string[] = [];
    let [sent, isOver] = [0, false];
    const send = async (client: number, n: number): Promise<void> => {
      const value = `${client}-${n}`;
      const body = { entity: `rolled:${value}`, relation: 'memory:note', value: { type: 'string', v: value } };
      const write = { method: 'POST', body: JSON.stringify({ ...body, source: 'agent:rolling' }) };
      const read = `?entity=rolled:${client}-${n - 1}`;
      const reply = await fetch(`${proxy.url}/v1/facts${n % 2 === 0 ? '' : read}`, {
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(n % 2 === 0 ? write : {}),
      });
      const text = await reply.text();
      sent += 1;
      const isRight = n % 2 === 0 ? reply.status === 201 : reply.status === 200 && text.includes(`${client}-${n - 1}`);
      if (!isRight) failures.push(`${reply.status} ${text}`);
    };
    const client = async (at: number): Promise<void> => {
      for (let n = 0; !isOver || sent < ROLLED_REQUESTS; n += 1) await send(at, n);
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
    for (const node of old) {
      await start();
      await node.end('SIGTERM');
      expect(node.child.exitCode).to.equal(0);
      proxy.remove(node.url);
    }
    isOver = true;
    await clients;
    expect(failures.slice(0, SHOWN)).to.deep.equal([]);
    expect(sent).to.be.at.least(ROLLED_REQUESTS);
  });
});
