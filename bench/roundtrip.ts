import { join } from 'node:path';
import { templateCid } from './ceiling/template-cid.ts';
import { RawConnection } from './load/raw-connection.ts';
import { peakMemoryMiB, type ServerProcess } from './processes/child-process.ts';
import { startNode } from './processes/start-node.ts';
import { readLines } from './recall/read-corpus.ts';
import { figure, printTable } from './report/print-table.ts';
import { type CorpusRow, type RowFact, rowToFact } from './row-to-fact.ts';

const DIFFERENCES_SHOWN = 10;

export interface RoundtripOptions {
  /** The folder with a `corpus.jsonl`. */
  readonly folder: string;
  readonly connections: number;
}

/** The members that every route must return unchanged. */
const COMPARED = ['entity', 'relation', 'value', 'source', 'timestamp', 'scope', 'confidence', 'cid'] as const;

type Answer = Readonly<Record<string, unknown>> & { readonly id?: string; readonly cid?: string };

interface Phase {
  readonly name: string;
  readonly latencies: number[];
  seconds: number;
}

/** Runs `work` for every item over several connections, with one request in flight on each, and times every request. */
const overAll = async <T>(
  name: string,
  server: ServerProcess,
  connections: number,
  items: readonly T[],
  work: (item: T, exchange: RawConnection['exchange']) => Promise<void>,
): Promise<Phase> => {
  const latencies: number[] = [];
  const start = performance.now();
  let next = 0;
  const drive = async (): Promise<void> => {
    const connection = await RawConnection.open(server.port);
    const timed: RawConnection['exchange'] = async (request) => {
      const sent = performance.now();
      const reply = await connection.exchange(request);
      latencies.push(performance.now() - sent);
      return reply;
    };
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item, timed);
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, drive));
  return { name, latencies, seconds: (performance.now() - start) / 1000 };
};

const readRows = async (folder: string): Promise<RowFact[]> =>
  (await readLines<CorpusRow>(join(folder, 'corpus.jsonl'))).map(rowToFact);

/** Returns the expected fact: the sent members, and the content id computed here, without the node. */
const expected = (row: RowFact): Answer => ({
  ...row.body,
  value: { ...row.body.value, interpret_as: 'content' },
  confidence: 1,
  cid: templateCid({ ...row.body, confidence: 1 }),
});

const bytes = (member: unknown): Buffer => Buffer.from(member === undefined ? '' : JSON.stringify(member), 'utf8');

/**
 * Returns the names of members whose bytes differ from the sent ones. A timestamp that was not sent does not count,
 * because the node chooses it.
 */
const differing = (wanted: Answer, got: Answer): string[] =>
  COMPARED.filter((member) => !(member === 'timestamp' && wanted['timestamp'] === undefined)).filter(
    (member) => !bytes(wanted[member]).equals(bytes(got[member])),
  );

const get = (path: string, key: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;

const post = (row: RowFact, key: string): Buffer => {
  const body = Buffer.from(JSON.stringify(row.body), 'utf8');
  const head = `POST /v1/facts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nSvc-Session: ${row.session}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
};

class Differences {
  #count = 0;

  add(what: string): void {
    this.#count += 1;
    if (this.#count <= DIFFERENCES_SHOWN) console.error(`difference: ${what}`);
  }

  get count(): number {
    return this.#count;
  }
}

const check = (differences: Differences, via: string, row: RowFact, got: Answer | undefined): void => {
  const wrong = got === undefined ? ['missing'] : differing(expected(row), got);
  if (wrong.length > 0) differences.add(`${row.body.entity} by ${via}: ${wrong.join(', ')}`);
};

const printPhases = (phases: readonly Phase[]): void => {
  const at = (phase: Phase, share: number): string =>
    figure(phase.latencies[Math.floor(phase.latencies.length * share)] ?? 0, 2);
  for (const phase of phases) phase.latencies.sort((a, b) => a - b);
  printTable(
    ['', 'facts/s', 'p50 ms', 'p95 ms', 'p99 ms'],
    phases.map((phase) => [
      phase.name,
      figure(phase.latencies.length / phase.seconds),
      at(phase, 0.5),
      at(phase, 0.95),
      at(phase, 0.99),
    ]),
  );
};

/**
 * Asserts every row of a corpus over HTTP, reads every fact back by entity and by content id, and compares the bytes.
 * Returns the number of differences.
 */
export const benchRoundtrip = async ({ folder, connections }: RoundtripOptions): Promise<number> => {
  const rows = await readRows(folder);
  const server = await startNode();
  const differences = new Differences();
  const { key } = server;
  try {
    const asserted = await overAll('assert', server, connections, rows, async (row, exchange) => {
      const { status, text } = await exchange(post(row, key));
      check(differences, 'its answer', row, status === 201 ? (JSON.parse(text) as Answer) : undefined);
    });
    const byEntity = await overAll('read by entity', server, connections, rows, async (row, exchange) => {
      const { text } = await exchange(get(`/v1/facts?entity=${encodeURIComponent(row.body.entity)}`, key));
      const { facts, total } = JSON.parse(text) as { facts: Answer[]; total: number };
      check(differences, 'entity', row, total === 1 ? facts[0] : undefined);
    });
    const byCid = await overAll('read by cid', server, connections, rows, async (row, exchange) => {
      const { text } = await exchange(get(`/v1/facts/${expected(row).cid}`, key));
      check(differences, 'cid', row, JSON.parse(text) as Answer);
    });
    console.log(`${figure(rows.length)} rows, ${connections} connections`);
    printPhases([asserted, byEntity, byCid]);
    console.log(`peak memory of the node: ${figure(peakMemoryMiB(server.pid))} MiB`);
    console.log(differences.count === 0 ? 'every fact came back byte for byte' : `${differences.count} differences`);
    return differences.count;
  } finally {
    await server.stop();
  }
};
