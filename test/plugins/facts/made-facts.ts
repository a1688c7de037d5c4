import { createHash } from 'node:crypto';
import type { StoredFact } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import type { TestNode } from '../../kit/start-test-node.ts';

/** Derives a content id from a name. Walks follow these ids, so the facts need not match them. */
export const cidOf = (name: string): string => `sha256:${createHash('sha256').update(name).digest('hex')}`;

/** A fact for direct storage, of scope local, outside gardens, with the given content id. */
export const madeFact = (
  id: string,
  derivedFrom: readonly string[],
  changes: Partial<StoredFact> = {},
): StoredFact => ({
  id,
  tenantId: 'default',
  entity: id,
  entityKey: id,
  relation: 'memory:made',
  relationKey: 'memory:made',
  scope: 'local',
  value: { type: 'string', v: id, interpretAs: 'content' },
  valueKey: `s:${id}`,
  source: 'agent:maker',
  sourceKey: 'agent:maker',
  timestamp: '2026-03-02T08:00:00.000Z',
  timestampMs: Date.UTC(2026, 2, 2, 8),
  confidence: 1,
  validFrom: null,
  validFromMs: null,
  validUntil: null,
  validUntilMs: null,
  gardenId: null,
  cid: cidOf(id),
  derivedFrom,
  replaces: [],
  system: false,
  attested: null,
  attestedKeyId: null,
  sessionId: null,
  assertedBy: 'agent:maker',
  receivedFrom: null,
  originNodeId: null,
  speaker: null,
  originId: null,
  hlc: { wallMs: 0, counter: 0 },
  hlcText: '0000000000000.0',
  feed: { wallMs: 0, counter: 0 },
  ...changes,
});

/** Stores facts directly in the store, in order, each with its own stamp. */
export const store = async (node: TestNode, facts: readonly StoredFact[]): Promise<void> => {
  await node.kernel.get(FactStore).write('default', async (transaction) => {
    const clock = await transaction.lockClock();
    const stamped = facts.map((fact, at) => {
      const stamp = { wallMs: clock.wallMs + 1, counter: at };
      return { ...fact, hlc: stamp, feed: stamp, hlcText: `${stamp.wallMs}.${at}` };
    });
    await transaction.insert(stamped);
    await transaction.saveClock({ wallMs: clock.wallMs + 1, counter: facts.length });
  });
};
