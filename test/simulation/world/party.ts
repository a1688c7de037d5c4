import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';
import { createNode, type Node } from '../../../config/create-node.ts';
import { markRestored } from '../../../config/mark-restored.ts';
import type { Random } from '../../../kernel/crypto/random.ts';
import { createInlineSignatureWork, SignatureWork } from '../../../kernel/crypto/signature-work.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { createTestRequest, type TestRequest } from '../../kit/test-request.ts';
import { currentWriter } from '../../kit/writer-thread.ts';
import type { DriftingClock } from './drifting-clock.ts';
import { createMortalStore, Mortality } from './mortal-store.ts';
import { nodeOptions, nodeUrl, STAMP_LEAD_S } from './node-options.ts';
import { type Residents, residentsOf } from './residents.ts';
import { settle } from './settle.ts';
import { placeTemplate } from './templates.ts';
import type { VirtualNetwork } from './virtual-network.ts';

/** A node with its machine, whose disk and clock outlive its processes. */
export interface Party {
  /** The name: `n1`, `n2` … */
  readonly name: string;
  readonly url: string;
  readonly nodeId: string;
  readonly file: string;
  readonly clock: DriftingClock;
  readonly residents: Residents;
  readonly request: TestRequest;
  readonly logLines: readonly LogLine[];
  /** The running node; undefined while it is down. */
  readonly node: Node | undefined;
  /** The number of times that an older copy has replaced its store. */
  readonly restores: number;
  start(): Promise<void>;
  /** Crashes the process at once. Uncommitted writes are lost. */
  crash(): Promise<void>;
  /** Schedules a crash at the n-th store call from now. */
  crashAfter(calls: number): void;
  /** Stops crashed processes; resolves with true if there were any. */
  buryDead(): Promise<boolean>;
  /** Saves a copy of the store, in place of an earlier copy. */
  copyAside(): void;
  readonly hasCopy: boolean;
  /** Crashes, replaces the store by the copy, marks it as restored, and starts again. */
  restore(): Promise<void>;
}

interface PartyParts {
  readonly index: number;
  readonly folder: string;
  readonly network: VirtualNetwork;
  readonly clock: DriftingClock;
  readonly random: Random;
  readonly pullIntervalS: number;
}

interface Process {
  readonly node: Node;
  readonly mortality: Mortality;
  readonly store: () => FactStore | undefined;
  end(): void;
}

const STORE_FILES = ['node.db', 'node.db-wal'];

export const createParty = async (parts: PartyParts): Promise<Party> => {
  const { index, network, clock, random } = parts;
  const name = `n${index}`;
  const url = nodeUrl(index);
  const folder = join(parts.folder, name);
  const aside = join(parts.folder, `${name}-copy`);
  cpSync(await placeTemplate(index), folder, { recursive: true });
  const residents = residentsOf(name);
  const logLines: LogLine[] = [];
  let process: Process | undefined;
  let restores = 0;
  const bringDown = async (): Promise<void> => {
    const dying = process;
    if (dying === undefined) return;
    process = undefined;
    dying.mortality.die();
    dying.end();
    await settle();
    await dying.store()?.close();
    await settle();
  };
  const start = async (): Promise<void> => {
    await settle();
    process = await startProcess(parts, { folder, url, logLines });
    await settle();
  };
  return {
    name,
    url,
    nodeId: `svc://${name}.example`,
    file: join(folder, 'node.db'),
    clock,
    residents,
    request: createTestRequest(network.loopback, url),
    logLines,
    get node() {
      return process?.mortality.dead === false ? process.node : undefined;
    },
    get restores() {
      return restores;
    },
    start,
    crash: bringDown,
    crashAfter: (calls) => process?.mortality.dieAfter(calls),
    async buryDead() {
      if (process?.mortality.dead !== true) return false;
      await bringDown();
      return true;
    },
    copyAside() {
      rmSync(aside, { recursive: true, force: true });
      mkdirSync(aside);
      for (const file of STORE_FILES) if (existsSync(join(folder, file))) cpSync(join(folder, file), join(aside, file));
    },
    get hasCopy() {
      return existsSync(aside);
    },
    async restore() {
      await bringDown();
      for (const file of [...STORE_FILES, 'node.db-shm']) rmSync(join(folder, file), { force: true });
      cpSync(aside, folder, { recursive: true });
      restores += 1;
      const store = createSqliteStore({ path: join(folder, 'node.db') });
      const driftBoundMs = STAMP_LEAD_S * 1_000;
      await markRestored(store, { nowMs: clock.wallMs(), driftBoundMs, epoch: random.uuid() });
      await store.close();
      await start();
    },
  };
};

interface Place {
  readonly folder: string;
  readonly url: string;
  readonly logLines: LogLine[];
}

const startProcess = async (parts: PartyParts, place: Place): Promise<Process> => {
  const { index, network, random, clock: machine } = parts;
  const { clock, end: endClock } = machine.forProcess();
  const { transport, end: endNetwork } = network.connect(place.url, clock);
  const end = (): void => {
    endClock();
    endNetwork();
  };
  const mortality = new Mortality(end);
  let opened: FactStore | undefined;
  const node = await createNode({
    ...nodeOptions(index, { folder: place.folder, pullIntervalS: parts.pullIntervalS }),
    inspectReplies: checkReplies,
    adapters: {
      clock,
      random,
      log: createMemoryLogger(place.logLines),
      transport,
      store: () => {
        opened = createSqliteStore({
          path: join(place.folder, 'node.db'),
          watchNesting: true,
          writer: currentWriter(),
        });
        return createMortalStore(opened, mortality, machine.wallMs);
      },
      extras: [quietBilling, { ref: SignatureWork, create: createInlineSignatureWork }],
    },
  });
  await node.start();
  return { node, mortality, store: () => opened, end };
};
