import { expect } from 'chai';
import type { Principal, ServiceError } from '../../../kernel/plugin-api.ts';
import { MAX_STREAMS, MAX_STREAMS_PER_ENTITY, StreamSlots } from '../../../plugins/subscriptions/stream-slots.ts';

const callerWith = (keyId: string, entityUri = `agent:${keyId}`): Principal => ({
  kind: 'key',
  entityUri,
  permissions: new Set(['read']),
  allowedScopes: new Set(['public']),
  tenantId: 'default',
  keyId,
  oidcSub: null,
});

const takeAll = (slots: StreamSlots, keyId: string, entityUri?: string): number => {
  for (let taken = 0; ; taken += 1) {
    try {
      slots.take(callerWith(keyId, entityUri), new AbortController().signal);
    } catch (error) {
      expect((error as ServiceError).code).to.be.oneOf(['limit_reached', 'unavailable']);
      return taken;
    }
  }
};

describe('the limit of open event streams', () => {
  it('leaves room for each further entity, until nearly all streams are open', () => {
    const slots = new StreamSlots();
    const taken = Array.from({ length: 12 }, (_, n) => takeAll(slots, `key-${n}`));
    expect(taken[0]).to.equal(MAX_STREAMS_PER_ENTITY);
    expect(taken.every((count) => count >= 1)).to.equal(true);
    expect(slots.open).to.be.at.most(MAX_STREAMS);
  });

  it('counts all keys of an entity together, including programs that act for it', () => {
    const slots = new StreamSlots();
    const taken = Array.from({ length: 18 }, (_, n) => takeAll(slots, `key-${n}`, 'agent:a'));
    expect(taken).to.deep.equal([MAX_STREAMS_PER_ENTITY, ...new Array(17).fill(0)]);
    expect(takeAll(slots, 'key', 'agent:A')).to.equal(MAX_STREAMS_PER_ENTITY);
    const program = { ...callerWith('program'), onBehalfOf: 'agent:a' };
    expect(() => slots.take(program, new AbortController().signal)).to.throw('as many streams open');
  });

  it('counts a closed stream once, even if its slot is released twice', () => {
    const slots = new StreamSlots();
    const client = new AbortController();
    const giveBack = slots.take(callerWith('a'), client.signal);
    expect(slots.open).to.equal(1);
    client.abort();
    giveBack();
    giveBack();
    expect(slots.open).to.equal(0);
  });

  it('does not count a client that has disconnected', () => {
    const slots = new StreamSlots();
    slots.take(callerWith('a'), AbortSignal.abort());
    expect(slots.open).to.equal(0);
  });
});
