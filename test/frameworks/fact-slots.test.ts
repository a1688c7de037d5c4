import { expect } from 'chai';
import { ConflictError, type FactClient } from '../../client/client.ts';
import type { TypedValue } from '../../client/fact-values.ts';
import { FactSlots } from '../../client/frameworks/fact-slots.ts';
import { clientOf } from '../client/loopback-fetch.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';

/** Returns a client that stores a fact right before its next batch, as another program may. */
const lateClient = (client: FactClient, fact: { entity: string; relation: string; value: TypedValue }): FactClient =>
  new Proxy(client, {
    get: (target, name) =>
      name === 'assertMany'
        ? async (facts: Parameters<FactClient['assertMany']>[0]) => {
            await client.assert({ ...fact, source: 'agent:late', scope: 'company' });
            return client.assertMany(facts);
          }
        : Reflect.get(target, name).bind(target),
  });

const text = (v: string) => ({ type: 'string', v }) as const;

describe('the facts of one entity and relation that an adapter overwrites', () => {
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

  it('keep a value that somebody else stored between the read and the write', async () => {
    const slot = { entity: 'slot:told', relation: 'memory:role' };
    await slots.write(slot, text('CEO'));
    const live = await slots.readAll(slot);
    await client.assert({ ...slot, value: text('CTO'), source: 'agent:other', scope: 'company' });
    await slots.write(slot, text('CFO'), live);
    expect(await valuesIn(slot)).to.deep.equal(['CFO', 'CTO']);
  });

  it('keep a value that replaced the read one before the write', async () => {
    const slot = { entity: 'slot:replaced', relation: 'memory:role' };
    await slots.write(slot, text('CEO'));
    const live = await slots.readAll(slot);
    await slots.write(slot, text('CTO'));
    await slots.write(slot, text('CFO'), live);
    expect(await valuesIn(slot)).to.deep.equal(['CFO', 'CTO']);
  });

  it('end by id, so that a value that somebody else stores meanwhile stays live', async () => {
    const slot = { entity: 'slot:ended', relation: 'memory:role' };
    await slots.write(slot, text('CEO'));
    await client.assert({ ...slot, value: text('CTO'), source: 'agent:other', scope: 'company' });
    const read = [await slots.readAll(slot)];
    const late = new FactSlots({ client: lateClient(client, { ...slot, value: text('CFO') }), source: 'agent:mine' });
    await late.end(read);
    expect(await valuesIn(slot)).to.deep.equal(['CFO']);
    await slots.end(read);
    expect(await valuesIn(slot)).to.deep.equal(['CFO']);
  });

  it('end all contradicting values that the writer has read; any other refusal is thrown', async () => {
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
