import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';
import { createNode } from '../../../config/create-node.ts';
import { DEFAULT_TENANT } from '../../../kernel/plugin-api.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { scratchPlace } from '../../kit/scratch-place.ts';
import { START_MS } from './drifting-clock.ts';
import { nodeOptions, nodeUrl } from './node-options.ts';
import { registerResidents, residentsOf } from './residents.ts';

const templates = new Map<number, Promise<string>>();
let root: string | undefined;

/**
 * Returns a template folder for a new node with this number, so that tables are created once instead of for every seed.
 */
export const placeTemplate = (index: number): Promise<string> => {
  const known = templates.get(index) ?? makeTemplate(index);
  templates.set(index, known);
  return known;
};

export const removeTemplates = (): void => {
  templates.clear();
  if (root !== undefined) rmSync(root, { recursive: true, force: true });
  root = undefined;
};

const makeTemplate = async (index: number): Promise<string> => {
  root ??= mkdtempSync(join(await scratchPlace(), 'simulation-templates-'));
  const folder = join(root, `n${index}`);
  const random = createSeededRandom(7_000 + index);
  const node = await createNode({
    ...nodeOptions(index, { folder, pullIntervalS: 30 }),
    adapters: {
      clock: createManualClock(START_MS - 60_000),
      random,
      log: createMemoryLogger([]),
      transport: createLoopbackNetwork().transport(nodeUrl(index)),
      extras: [quietBilling],
    },
  });
  await node.start();
  await registerResidents(node.kernel, residentsOf(`n${index}`));
  await node.stop();
  // The epoch in the template comes from the system random source, so it must be replaced.
  const store = createSqliteStore({ path: join(folder, 'node.db') });
  await store.write(DEFAULT_TENANT, async (transaction) =>
    transaction.saveClock(await transaction.lockClock(), random.uuid()),
  );
  await store.close();
  return folder;
};
