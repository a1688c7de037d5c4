import { expect } from 'chai';
import { readAnnotate, readConstrain } from '../../../kernel/facts/read-hooks.ts';
import { defineCollectHook, defineEventHook, defineFilterHook } from '../../../kernel/hooks/define-hook.ts';
import { HookBus, SLOW_HANDLER_MS } from '../../../kernel/hooks/hook-bus.ts';
import { nodeGreeting } from '../../../kernel/hooks/node-hooks.ts';
import { UNFINISHED_HANDLER_MS } from '../../../kernel/hooks/unfinished-handlers.ts';
import { ServiceError } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { createGate } from '../../kit/create-gate.ts';

const text = defineFilterHook<string, { suffix: string }>('text:change');
const votes = defineCollectHook<number, string>('vote:collect');
const done = defineEventHook<string>('work:done');

const createBus = () => {
  const lines: LogLine[] = [];
  const clock = createManualClock();
  return { bus: new HookBus({ clock, log: createMemoryLogger(lines), cacheable: [readAnnotate] }), clock, lines };
};

const rejection = async (promise: Promise<unknown>): Promise<Error & { plugin?: string; hook?: string }> =>
  promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error) => error,
  );

describe('the hook bus', () => {
  it('returns the value itself, or nothing, for a hook without handlers', async () => {
    const { bus } = createBus();
    expect(bus.hasHandlers(text)).to.equal(false);
    expect(await bus.filter(text, 'same', { suffix: '!' })).to.equal('same');
    expect(await bus.collect(votes, 1)).to.deep.equal([]);
    await bus.emit(done, 'nobody hears');
  });

  it('refuses a handler without a valid hook, and one that is no function', () => {
    const { bus } = createBus();
    for (const hook of ['vote:collect', undefined, null, {}]) {
      expect(() => bus.register('acme', hook as never, () => undefined)).to.throw('acme handles something that is not');
    }
    expect(() => bus.register('acme', votes, 'yes' as never)).to.throw(
      'acme handles vote:collect with something other',
    );
    expect(bus.hasHandlers(votes)).to.equal(false);
  });

  it('passes a value from handler to handler; undefined keeps it, null replaces it', async () => {
    const { bus } = createBus();
    const nullable = defineFilterHook<string | null>('value:maybe');
    bus.register('a', text, (value, context) => `${value}${(context as { suffix: string }).suffix}`);
    bus.register('b', text, () => undefined);
    bus.register('c', text, async (value) => `${value}?`);
    bus.register('a', nullable, () => null);
    expect(await bus.filter(text, 'what', { suffix: '!' })).to.equal('what!?');
    expect(await bus.filter(nullable, 'something', undefined)).to.equal(null);
  });

  it('reports a hook as cacheable only while every handler declares it', () => {
    const { bus } = createBus();
    expect(bus.isCacheable(readAnnotate), 'without handlers').to.equal(true);
    bus.register('a', readAnnotate, () => undefined, { cacheable: true });
    expect(bus.isCacheable(readAnnotate)).to.equal(true);
    bus.register('a', readAnnotate, () => undefined);
    expect(bus.isCacheable(readAnnotate), 'a second handler of the same plugin').to.equal(false);
    expect(bus.isCacheable(readConstrain), 'another hook').to.equal(true);
  });

  it('refuses the cacheable declaration on any other hook', () => {
    const { bus } = createBus();
    const register = (): void => bus.register('a', votes, () => 'yes', { cacheable: true });
    expect(register).to.throw('a declares vote:collect cacheable: it is no read');
  });

  it('returns the results of a collecting hook in handler order, without undefined ones', async () => {
    const { bus } = createBus();
    bus.register('a', votes, async () => 'slow');
    bus.register('b', votes, () => undefined);
    bus.register('c', votes, (count) => `${count} quick`);
    expect(await bus.collect(votes, 2)).to.deep.equal(['slow', '2 quick']);
  });

  it('runs handlers marked first before and those marked last after all others, in plugin order within each', async () => {
    const { bus } = createBus();
    bus.register('a', votes, () => 'a last', { order: 'last' });
    bus.register('b', votes, () => 'b');
    bus.register('c', votes, () => 'c first', { order: 'first' });
    bus.register('d', votes, () => 'd first', { order: 'first' });
    bus.register('e', votes, () => 'e');
    bus.register('f', votes, () => 'f last', { order: 'last' });
    expect(await bus.collect(votes, 0)).to.deep.equal(['c first', 'd first', 'b', 'e', 'a last', 'f last']);
  });

  it('returns synchronously unless a handler returns a promise', async () => {
    const { bus } = createBus();
    let ran = 0;
    bus.register('a', votes, () => String(++ran));
    bus.register('b', votes, () => String(++ran));
    void bus.collect(votes, 0);
    expect(ran).to.equal(2);
  });

  it('names plugin and hook on an error that is a bug, thrown or rejected', async () => {
    for (const fail of [
      () => {
        throw new Error('boom');
      },
      async () => {
        throw new Error('boom');
      },
    ]) {
      const { bus } = createBus();
      bus.register('culprit', votes, fail);
      const error = await rejection(bus.collect(votes, 0));
      expect(error).to.include({ message: 'boom', plugin: 'culprit', hook: 'vote:collect' });
    }
  });

  it('keeps the innermost plugin and hook when hooks nest', async () => {
    const { bus } = createBus();
    bus.register('outer', text, async (value) => (await bus.collect(votes, 0)).join(String(value)));
    bus.register('inner', votes, () => {
      throw new Error('boom');
    });
    expect(await rejection(bus.filter(text, '', { suffix: '' }))).to.include({ plugin: 'inner', hook: 'vote:collect' });
  });

  it('converts a thrown value that is no error into an error that names the plugin', async () => {
    const { bus } = createBus();
    bus.register('culprit', votes, () => {
      throw 'a text';
    });
    const error = await rejection(bus.collect(votes, 0));
    expect(error).to.be.instanceOf(Error);
    expect(error).to.include({ plugin: 'culprit', cause: 'a text' });
  });

  it('passes an operating error on unchanged', async () => {
    const { bus } = createBus();
    const veto = new ServiceError('conflict', 'not this one');
    bus.register('a', text, () => {
      throw veto;
    });
    const error = await rejection(bus.filter(text, '', { suffix: '' }));
    expect(error).to.equal(veto);
    expect(error).not.to.have.property('plugin');
  });

  it('stops at the first handler that throws', async () => {
    const { bus } = createBus();
    let reached = false;
    bus.register('a', votes, () => {
      throw new ServiceError('conflict', 'veto');
    });
    bus.register('b', votes, () => {
      reached = true;
    });
    await rejection(bus.collect(votes, 0));
    expect(reached).to.equal(false);
  });

  it('calls every handler of an event, logs the failing ones, and never rejects', async () => {
    const { bus, lines } = createBus();
    const heard: string[] = [];
    bus.register('a', done, () => {
      throw new Error('sync');
    });
    bus.register('b', done, async () => {
      throw new Error('async');
    });
    bus.register('c', done, (event) => void heard.push(String(event)));
    await bus.emit(done, 'news');
    expect(heard).to.deep.equal(['news']);
    expect(lines.map(({ level, fields }) => [level, fields['plugin'], fields['hook']])).to.deep.equal([
      ['error', 'a', 'work:done'],
      ['error', 'b', 'work:done'],
    ]);
  });

  it('starts the handlers of an event together', async () => {
    const { bus } = createBus();
    const { passed: gate, open: release } = createGate();
    bus.register('a', done, () => gate);
    bus.register('b', done, () => release());
    await bus.emit(done, 'both');
  });

  it('reports a handler that took too long, with plugin, hook and duration', async () => {
    const { bus, clock, lines } = createBus();
    bus.register('slow', votes, () => clock.advance(SLOW_HANDLER_MS + 1));
    bus.register('quick', votes, () => clock.advance(SLOW_HANDLER_MS));
    await bus.collect(votes, 0);
    expect(lines).to.have.length(1);
    expect(lines[0]?.fields).to.deep.equal({ plugin: 'slow', hook: 'vote:collect', tookMs: SLOW_HANDLER_MS + 1 });
  });

  it('does not report a slow handler before the node serves requests', async () => {
    const { bus, clock, lines } = createBus();
    bus.register('slow', nodeGreeting, () => void clock.advance(SLOW_HANDLER_MS + 1));
    await bus.collect(nodeGreeting, { isDue: false });
    expect(lines).to.deep.equal([]);
  });

  it('warns once about handlers of every kind that never finish, and counts their calls', async () => {
    const { bus, clock, lines } = createBus();
    const quick = defineCollectHook<number, string>('vote:quick');
    bus.register('quick', quick, async () => 'done');
    await bus.collect(quick, 1);
    const never = () => new Promise<never>(() => {});
    bus.register('a', text, never);
    bus.register('b', votes, never);
    bus.register('c', done, never);
    void bus.filter(text, 'x', { suffix: '' });
    void bus.collect(votes, 1);
    void bus.collect(votes, 2);
    void bus.emit(done, 'x');
    await clock.advance(UNFINISHED_HANDLER_MS - 1);
    expect(lines).to.deep.equal([]);
    await clock.advance(1);
    await clock.advance(10 * UNFINISHED_HANDLER_MS);
    // One timer serves all calls, and the call that ended at once has set it.
    const waitedMs = UNFINISHED_HANDLER_MS;
    expect(lines).to.deep.equal(
      [
        { plugin: 'a', hook: 'text:change', calls: 1, waitedMs },
        { plugin: 'b', hook: 'vote:collect', calls: 2, waitedMs },
        { plugin: 'c', hook: 'work:done', calls: 1, waitedMs },
      ].map((fields) => ({ level: 'warn', message: 'a hook handler has not finished', fields })),
    );
    expect(clock.pending, 'nothing is left to report').to.equal(0);
  });

  it('uses one timer for all handlers that return promises, and none once it is closed', async () => {
    const { bus, clock, lines } = createBus();
    bus.register('a', votes, async () => 'done');
    bus.register('b', text, () => new Promise<never>(() => {}));
    for (let call = 0; call < 100; call += 1) await bus.collect(votes, call);
    expect(clock.pending).to.equal(1);
    void bus.filter(text, 'x', { suffix: '' });
    expect(clock.pending).to.equal(1);
    bus.close();
    await bus.collect(votes, 100);
    expect(clock.pending).to.equal(0);
    await clock.advance(2 * UNFINISHED_HANDLER_MS);
    expect(lines).to.deep.equal([]);
  });

  it('refuses handlers after it is sealed', () => {
    const { bus } = createBus();
    bus.seal();
    expect(() => bus.register('late', votes, () => 'x')).to.throw('late may handle vote:collect only during its setup');
  });

  it('refuses two hooks of different kinds with one id', () => {
    const { bus } = createBus();
    bus.register('a', votes, () => 'x');
    expect(() => bus.register('b', defineEventHook('vote:collect'), () => undefined)).to.throw(
      'vote:collect is a collect hook',
    );
  });

  it('lists the hooks of a plugin, and none for a plugin without handlers', () => {
    const { bus } = createBus();
    bus.register('a', votes, () => 'x');
    bus.register('a', text, () => undefined);
    bus.register('b', done, () => undefined);
    const hooksOf = (plugin: string) =>
      bus.describe().flatMap(({ hook, handlers }) => (handlers.some((one) => one.plugin === plugin) ? [hook] : []));
    expect(hooksOf('a')).to.deep.equal(['text:change', 'vote:collect']);
    expect(hooksOf('c')).to.deep.equal([]);
  });
});
