import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Contestant, type ContestLoad } from '../../bench/contestant.ts';
import { RawConnection } from '../../bench/load/raw-connection.ts';
import type { ServerProcess } from '../../bench/processes/child-process.ts';
import { rejection } from '../kit/rejection.ts';

const LEFT_MS = 200;
/** The system counts in steps of this length. */
const STEP_MS = 10;

/** Uses the processor for so long, however busy the machine is. */
const work = (ms: number): void => {
  const before = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    if (user + system >= ms * 1_000) return;
  }
};

const LOAD: ContestLoad = {
  connections: 1,
  seconds: 0.2,
  expectedStatus: '200',
  requests: () => ({ kind: 'read', paths: ['/'] }),
};

describe('A bench that lets nodes take turns', () => {
  let server: Server;
  let node: ServerProcess;

  beforeEach(async () => {
    server = createServer((_request, response) => {
      response.setHeader('Content-Length', 2);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    node = { port, key: '', pid: process.pid, folder: '', database: '', stop: async () => {} };
  });
  afterEach(() => server.close());

  it('counts the work that a load leaves to the node that got the load', async function () {
    const contestant = new Contestant('one', node);
    let isWarm = false;
    const untilRest = async (rested: ServerProcess): Promise<void> => {
      expect(rested).to.equal(node);
      if (isWarm) work(LEFT_MS);
    };
    await contestant.warmUp({ ...LOAD, untilRest });
    isWarm = true;
    await contestant.measure({ ...LOAD, untilRest });
    const [us] = contestant.cpuPerRequestOfRuns;
    if (us === null || us === undefined) {
      console.log('    skipped: this system does not tell the processor time of a process');
      return this.skip();
    }
    const requests = contestant.requestsPerSecond * LOAD.seconds;
    expect(us).to.equal(contestant.cpuPerRequest);
    expect((us * requests) / 1_000).to.be.above((LEFT_MS - STEP_MS) / 2);
  });

  it('fails a request on a connection that the node has closed since the last one', async () => {
    const connection = await RawConnection.open(node.port);
    await connection.exchange('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    server.closeAllConnections();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    const late = connection.exchange('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await rejection(late)).message).to.match(/closed|ECONNRESET|EPIPE/);
  });

  it('ends the turn of a node when the node rests', async () => {
    const happened: string[] = [];
    const contestant = new Contestant('one', node);
    const untilRest = async (): Promise<void> => {
      await new Promise(setImmediate);
      happened.push('rests');
    };
    await contestant.warmUp({ ...LOAD, untilRest });
    happened.push('warm');
    await contestant.measure({ ...LOAD, untilRest });
    happened.push('measured');
    expect(happened).to.deep.equal(['rests', 'warm', 'rests', 'measured']);
  });
});
