import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  Authorizer,
  defineOpenRelation,
  defineReservedEntities,
  defineReservedRelation,
  type FactDraft,
  type Word,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const ENTRY = defineReservedRelation('ledger:entry', { summary: 'an entry', writtenBy: 'closing a ledger' });
const LEDGERS = defineReservedEntities('ledger', { summary: 'a ledger' });
const NOTE = defineOpenRelation('note', { summary: 'a remark on a ledger', about: LEDGERS });

const declaring = (...declares: readonly Word[]): AnyPlugin =>
  defineOwnPlugin({ name: 'ledgers', declares, setup: () => undefined });

const DRAFT: FactDraft = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'x', interpretAs: 'content' },
  source: 'agent:w1',
  confidence: 1,
  scope: 'local',
};

forEachStore('names that plugins reserve', () => {
  let node: TestNode;
  afterEach(() => node.stop());

  const told = async (members: Partial<FactDraft>): Promise<string> => {
    const caller = await node.kernel.get(Authorizer).authenticate(await node.addKey());
    const draft = { ...DRAFT, ...members };
    const append = node.facts.append(draft, caller).then(({ view }) => (view.fact.system ? 'system' : 'ordinary'));
    return append.catch((error) => `${error.code}: ${error.message}`);
  };

  it('are refused to clients, each with its reason', async () => {
    node = await startTestNode({ plugins: [declaring(ENTRY, LEDGERS, NOTE)] });
    expect(await told({ relation: 'Ledger:Entry' })).to.equal(
      'reserved_namespace: the relation ledger:entry is written by closing a ledger',
    );
    expect(await told({ entity: 'svc:ledger:1' })).to.equal(
      'reserved_namespace: entities under svc:ledger: are written by the node',
    );
    expect(await told({ entity: 'svc:ledger:1', relation: 'svc:note' })).to.equal('system');
    expect(await told({ entity: 'svc:fact:1', relation: 'svc:note' })).to.contain('entities under svc:fact:');
    expect(await told({ relation: 'svc:other' })).to.equal(
      'reserved_namespace: relations under svc: are written by the node; ' +
        'a client may assert svc:note and svc:ttl alone',
    );
  });

  it('are ordinary when no plugin reserves them, except those with the prefix of the service', async () => {
    node = await startTestNode({ plugins: [] });
    expect(await told({ relation: 'ledger:entry' })).to.equal('ordinary');
    expect(await told({ relation: 'svc:note' })).to.contain('reserved_namespace');
  });

  it('still mark a fact as a system fact when their plugin is switched off', () =>
    inTemporaryFolder(async (folder) => {
      node = await startTestNode({ folder, plugins: [declaring(ENTRY)] });
      const self = { ...(await node.kernel.get(Authorizer).authenticate(await node.addKey())), kind: 'node' as const };
      const { view } = await node.facts.append({ ...DRAFT, relation: 'ledger:entry' }, self);
      expect(view.fact.system).to.equal(true);
      await node.stop();
      node = await startTestNode({ folder, plugins: [] });
      const caller = await node.kernel.get(Authorizer).authenticate(await node.addKey());
      const [kept] = await node.facts.read(caller, 'get', (reader) => reader.visible([view.fact.id]));
      expect(kept?.system).to.equal(true);
    }));

  it('of bundled plugins stay reserved while those plugins are off', async () => {
    node = await startTestNode({ plugins: ['facts'] });
    expect(await told({ relation: 'instruction:manifest' })).to.equal(
      'reserved_namespace: the relation instruction:manifest is written by publishing a manifest',
    );
    expect(await told({ entity: 'svc:conflict:1' })).to.contain('reserved_namespace');
  });

  it('cannot be declared by another plugin while their own plugin is off', async () => {
    const taken = defineReservedRelation('instruction:manifest', { summary: 'mine', writtenBy: 'me' });
    const error: unknown = await rejection(startTestNode({ plugins: [declaring(taken)] }));
    if (!(error instanceof BootError)) throw error;
    expect(error.problems.map(({ message }) => message)).to.deep.equal([
      'the reserved relation instruction:manifest is declared by ledgers and by instructions',
    ]);
    node = await startTestNode({ plugins: [] });
  });
});
