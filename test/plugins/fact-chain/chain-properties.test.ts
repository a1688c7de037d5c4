import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { LedgerEntry } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { tamper } from '../../kit/tamper.ts';
import {
  assertFacts,
  CHAINED,
  documentedHash,
  eraseFacts,
  hashText,
  ledgerOf,
  prove,
  storedFacts,
  UNCHAINED,
} from './chain-node.ts';

/** Nodes on one store: two with the plugin, and one without it. */
const NODES = 3;
const UNCHAINED_NODE = 2;

type Step =
  | { readonly kind: 'assert'; readonly node: number; readonly count: number }
  | { readonly kind: 'erase'; readonly which: number }
  | { readonly kind: 'prove'; readonly node: number };

const assertion: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('assert'),
  node: fc.nat({ max: NODES - 1 }),
  count: fc.integer({ min: 1, max: 4 }),
});
const erasure: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('erase'), which: fc.nat() });
const proof: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('prove'), node: fc.nat({ max: UNCHAINED_NODE - 1 }) });

/** Each run uses another tenant of the same store. */
const TENANT_RUNS = Math.max(5, Math.floor(RUNS / 10));

forEachStore('the chain of facts of several processes, some of which run without its plugin', (store) => {
  let nodes: TestNode[];
  let folder: string;
  let tenants = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chain-'));
    nodes = [];
    for (let at = 0; at < NODES; at += 1) {
      const plugins = at === UNCHAINED_NODE ? UNCHAINED : CHAINED;
      const random = createSeededRandom(at);
      nodes.push(await startTestNode({ plugins, folder, random, env: { SVC_MULTI_TENANT_ENABLED: 'true' } }));
    }
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const nodeAt = (at: number): TestNode => nodes[at] as TestNode;
  const bytes = (hex: string): string => (store === 'postgres' ? `'\\x${hex}'::bytea` : `x'${hex}'`);

  /** Performs the steps in a new tenant, and returns the tenant. */
  const live = async (steps: readonly Step[]): Promise<string> => {
    const tenantId = `tenant-${tenants++}`;
    const key = await nodeAt(0).addKey({ tenantId });
    for (const [at, step] of steps.entries()) {
      if (step.kind === 'assert') {
        const values = Array.from({ length: step.count }, (_, n) => `${n}`);
        await assertFacts(nodeAt(step.node), key, values, `user:step-${at}`);
      } else if (step.kind === 'prove') {
        await prove(nodeAt(step.node), tenantId);
      } else {
        const ids = (await ledgerOf(nodeAt(0), tenantId)).map(({ factId }) => factId);
        if (ids.length > 0) await eraseFacts(nodeAt(0), [ids[step.which % ids.length] as string], tenantId);
      }
    }
    return tenantId;
  };

  it('contains every fact in the order of the ledger, and can be proved', async () => {
    const steps = fc.array(fc.oneof(assertion, assertion, erasure, proof), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const tenantId = await live([...story, { kind: 'assert', node: 0, count: 1 }]);
        const facts = await storedFacts(nodeAt(0), tenantId);
        const entries = await ledgerOf(nodeAt(0), tenantId);
        expect(entries.map(({ factId }) => factId)).to.deep.equal(facts.map(({ id }) => id));
        let previous: string | null = null;
        for (const [at, fact] of facts.entries()) {
          const entry = entries[at];
          if (!entry?.link) throw new Error('a fact has no link');
          expect(entry.link.seq).to.equal(at + 1);
          expect(hashText(entry.link.hash)).to.equal(documentedHash(fact, entry, { seq: at + 1, previous }));
          previous = hashText(entry.link.hash);
        }
        for (const node of [nodeAt(0), nodeAt(1)]) {
          expect(await prove(node, tenantId, facts)).to.include({ checked_entries: facts.length, head_hash: previous });
        }
      }),
      { numRuns: TENANT_RUNS },
    );
  });

  it('fails the verification after any single change of its facts or links', async () => {
    const hex = '5a'.repeat(32);
    const change = fc.constantFrom(
      `value_v = 'x'`,
      `value_type = 'ref'`,
      `interpret_as = 'instruction'`,
      'confidence = 0.125',
      `entity_key = 'user:changed'`,
      `entity = 'user:changed'`,
      `relation_key = 'memory:changed', relation = NULL`,
      `source_key = 'agent:changed', source = NULL`,
      `scope = 'public'`,
      `id = '00000000-0000-4000-8000-000000000000'`,
      'feed_wall = feed_wall + 1',
      'link_seq = link_seq + 1',
      `link_hash = ${bytes(hex)}`,
      'link_seq = NULL, link_hash = NULL',
      `salt = ${bytes(hex.slice(32))}`,
      `commitment = ${bytes(hex)}`,
      null,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(assertion, assertion, erasure), { minLength: 1, maxLength: 5 }),
        change,
        fc.nat(),
        async (story, what, which) => {
          const tenantId = await live([...story, { kind: 'assert', node: 0, count: 1 }]);
          const entries = await ledgerOf(nodeAt(0), tenantId);
          const { number, commitment } = entries[which % entries.length] as LedgerEntry;
          // An erased value has no type left to check.
          fc.pre(commitment === null || !/value_type|interpret_as/.test(what ?? ''));
          const row = `WHERE tenant_id = '${tenantId}' AND number = ${number}`;
          await tamper(nodeAt(0), what === null ? `DELETE FROM facts ${row}` : `UPDATE facts SET ${what} ${row}`);
          for (const node of [nodeAt(0), nodeAt(1)]) {
            expect(await rejection(prove(node, tenantId))).to.include({ code: 'fact_chain_mismatch' });
          }
        },
      ),
      { numRuns: TENANT_RUNS },
    );
  });
});
