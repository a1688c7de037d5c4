import { all } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import type { TestNode } from '../../kit/start-test-node.ts';

/** A valid assertion, with the changes of a test. */
export const factBody = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:w1',
  scope: 'company',
  ...changes,
});

/** Counts all stored facts, visible or not. */
export const storedFacts = (node: TestNode): Promise<number> =>
  node.kernel.get(FactStore).read((snapshot) => snapshot.count(all()));
