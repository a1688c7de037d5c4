import { expect } from 'chai';
import { importConsoleModule } from '../../kit/console-module.ts';

interface WatchModule {
  watchChanges(watched: {
    probe(): Promise<string>;
    shown(): string | undefined;
    onChange(): void;
    isVisible(): boolean;
    nowMs(): number;
    later(delayMs: number, callback: () => void): () => void;
  }): { look(): void; stop(): void };
}

describe('a screen of the console that watches the node', () => {
  let module: WatchModule;
  before(async () => {
    module = await importConsoleModule('kit/watch-changes.ts');
  });

  const begin = (probe: () => Promise<string>) => {
    const state = { shown: 'one' as string | undefined, visible: true, asked: 0, changes: 0, nowMs: 0 };
    let next: { readonly delayMs: number; readonly callback: () => void } | undefined;
    const watch = module.watchChanges({
      probe: async () => {
        state.asked += 1;
        return probe();
      },
      shown: () => state.shown,
      onChange: () => {
        state.changes += 1;
      },
      isVisible: () => state.visible,
      nowMs: () => state.nowMs,
      later: (delayMs, callback) => {
        next = { delayMs, callback };
        return () => {
          next = undefined;
        };
      },
    });
    /** Lets the pause pass, and returns its length; undefined if the watch waits for nothing. */
    const pass = async (): Promise<number | undefined> => {
      const { delayMs, callback } = next ?? {};
      next = undefined;
      callback?.();
      await new Promise(setImmediate);
      return delayMs;
    };
    return { state, watch, pass };
  };

  it('reloads once for a change, and asks less often while nothing changes', async () => {
    let mark = 'one';
    const { state, pass } = begin(async () => mark);
    const pauses = [];
    for (let look = 0; look < 10; look += 1) pauses.push(await pass());
    expect(state.changes).to.equal(0);
    expect(pauses[0]).to.equal(5_000);
    expect(pauses.at(-1)).to.equal(60_000);
    mark = 'two';
    await pass();
    expect(state.changes).to.equal(1);
    expect(await pass()).to.equal(5_000);
    expect(state.changes, 'a screen that cannot show the change is not reloaded again').to.equal(1);
  });

  it('rests twenty times as long as an answer takes', async () => {
    const { state, pass } = begin(async () => {
      state.nowMs += 8_000;
      return 'one';
    });
    await pass();
    expect(await pass()).to.equal(160_000);
  });

  it('asks for nothing in a hidden tab, and looks when it is shown again', async () => {
    const { state, watch, pass } = begin(async () => 'two');
    state.visible = false;
    await pass();
    expect(await pass()).to.equal(undefined);
    expect(state.asked).to.equal(0);
    state.visible = true;
    watch.look();
    await new Promise(setImmediate);
    expect([state.asked, state.changes]).to.deep.equal([1, 1]);
  });

  it('waits longest after a failure, and asks nothing once it is stopped', async () => {
    const { state, watch, pass } = begin(() => Promise.reject(new Error('the node is away')));
    await pass();
    expect(await pass()).to.equal(60_000);
    watch.stop();
    watch.look();
    expect(await pass()).to.equal(undefined);
    expect([state.asked, state.changes]).to.deep.equal([2, 0]);
  });

  it('reloads nothing while the screen loads or shows the past', async () => {
    const { state, pass } = begin(async () => 'two');
    state.shown = undefined;
    await pass();
    expect(state.changes).to.equal(0);
  });
});
