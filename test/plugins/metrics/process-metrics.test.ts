import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { sampleOf } from './scrape.ts';

/** Leaves a file when the process begins to observe pauses of its event loop. */
const PRELOAD = `import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import hooks from 'node:perf_hooks';
const { monitorEventLoopDelay } = hooks;
hooks.monitorEventLoopDelay = (options) => {
  writeFileSync('observed', '');
  return monitorEventLoopDelay(options);
};
syncBuiltinESMExports();`;

describe('the metrics of a process', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  it('observe pauses of the event loop, which wakes the process, only once somebody reads them', async () => {
    const flag = `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`;
    const node = await place.start([], { NODE_OPTIONS: flag });
    expect(existsSync(place.path('observed'))).to.equal(false);

    const headers = { Authorization: `Bearer ${readFileSync(place.path('data/admin.key'), 'utf8').trim()}` };
    const scrape = async (): Promise<string> => (await fetch(`${node.url}/v1/metrics`, { headers })).text();
    const first = await scrape();
    expect(existsSync(place.path('observed'))).to.equal(true);
    expect(first).to.include('process_resident_memory_bytes').and.not.to.include('nodejs_eventloop_lag_min_seconds');
    expect(sampleOf(await scrape(), 'nodejs_eventloop_lag_p99_seconds')).to.be.at.least(0);
  });
});
