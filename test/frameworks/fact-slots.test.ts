import { expect } from 'chai';
import { ConflictError, type FactClient } from '../../client/client.ts';
import { FactSlots } from '../../client/frameworks/fact-slots.ts';
import { clientOf } from '../client/loopback-fetch.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';

const text = (v: string) => ({ type: 'string', v }) as const;

describe('the slots of an adapter', () => {
  let node: TestNode;
  let client: FactClient;
  let slots: FactSlots;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'keys'] });
    client = clientOf(node, { key: await node.addKey({ permissions: ['read', 'write'] }) });
    slots = new FactSlots({ client, source: 'agent:mine' });
  });
  after(() => node.stop());

  const valuesIn = async (slot: Parameters<FactSlots['readAll']>[0]) =>
    (await slots.readAll(slot)).map(({ value }) => value.v).sort();

  it('keep a value that somebody stores between a read and a write', async () => {
    const slot = { entity: 'slot:told', relation: 'memory:role' };
    await slots.write(slot, text('CEO'));
    const live = await slots.readAll(slot);
    await client.assert({ ...slot, value: text('CTO'), source: 'agent:other', scope: 'company' });
    await slots.write(slot, text('CFO'), live);
    expect(await valuesIn(slot)).to.deep.equal(['CFO', 'CTO']);
  });

  it('keep a value that replaced the same one', async () => {
    const slot = { entity: 'slot:replaced', relation: 'memory:role' };
    await slots.write(slot, text('CEO'));
    const live = await slots.readAll(slot);
    await slots.write(slot, text('CTO'));
    await slots.write(slot, text('CFO'), live);
    expect(await valuesIn(slot)).to.deep.equal(['CFO', 'CTO']);
  });

  it('end all rivals that a write has read, and pass on other refusals', async () => {
    const slot = { entity: 'slot:settled', relation: 'memory:role' };
    await slots.write(slot, text('CEO'));
    await client.assert({ ...slot, value: text('CTO'), source: 'agent:other', scope: 'company' });
    await slots.write(slot, text('CFO'));
    expect(await valuesIn(slot)).to.deep.equal(['CFO']);
    const refused = await rejection(slots.write(slot, text('\ud800')));
    expect(refused).not.to.be.instanceOf(ConflictError);
    expect(await valuesIn(slot)).to.deep.equal(['CFO']);
  });
});
