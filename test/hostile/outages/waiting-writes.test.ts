import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { createGate } from '../../kit/create-gate.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const LIMIT_MS = 5_000;
const FACT = { entity: 'user:a', relation: 'memory:note', value: { type: 'string', v: 'x' }, source: 'agent:a' };

/** Replaces the timers of this process, because the wait of SQLite has no other clock. */
const holdTimers = () => {
  const { setTimeout: startTimer, clearTimeout: endTimer } = globalThis;
  const waiting = new Map<unknown, { readonly dueMs: number; run(): void }>();
  let nowMs = 0;
  const start = (run: () => void, ms = 0) => {
    const timer = { ref: () => timer, unref: () => timer, hasRef: () => true };
    waiting.set(timer, { dueMs: nowMs + ms, run });
    return timer;
  };
  const end = (timer: unknown): void => {
    if (!waiting.delete(timer)) endTimer(timer as NodeJS.Timeout);
  };
  Object.assign(globalThis, { setTimeout: start, clearTimeout: end });
  return {
    advance(ms: number): void {
      nowMs += ms;
      for (const [timer, { dueMs, run }] of waiting) {
        if (dueMs <= nowMs && waiting.delete(timer)) run();
      }
    },
    release(): void {
      Object.assign(globalThis, { setTimeout: startTimer, clearTimeout: endTimer });
    },
  };
};

describe('a write that waits behind another one on SQLite (I20)', () => {
  let node: TestNode;
  let noteWrite = (): void => {};
  let timers: ReturnType<typeof holdTimers> | undefined;
  before(async () => {
    const noted = (store: FactStore): FactStore =>
      new Proxy(store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]): unknown => {
            const result: unknown = member.apply(target, given);
            if (name === 'write') noteWrite();
            return result;
          };
        },
      });
    node = await startTestNode({ plugins: ['facts'], store: 'sqlite', wrapStore: noted });
  });
  afterEach(() => timers?.release());
  after(() => node.stop());

  it('gets 503 with Retry-After after five seconds, stores nothing, and succeeds when it is sent again', async () => {
    const key = await node.addKey();
    const { passed: held, open: release } = createGate();
    const blocking = node.kernel.get(FactStore).write('default', () => held);
    const waits = new Promise<void>((resolve) => {
      noteWrite = resolve;
    });
    timers = holdTimers();
    const asked = node.request('POST', '/v1/facts', { key, body: FACT });
    await waits;
    timers.advance(LIMIT_MS - 1);
    const early = await Promise.race([asked, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
    expect(early).to.equal('waits');
    timers.advance(1);
    const { status, headers, body } = await asked;
    expect({ status, wait: headers['retry-after'], code: body.code }).to.deep.equal({
      status: 503,
      wait: '1',
      code: 'unavailable',
    });
    release();
    await blocking;
    const count = async () => (await node.request('GET', '/v1/facts?entity=user:a', { key })).body.facts.length;
    expect(await count()).to.equal(0);
    expect((await node.request('POST', '/v1/facts', { key, body: FACT })).status).to.equal(201);
    expect(await count()).to.equal(1);
  });
});
