import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { expose } from '../../../plugins/metrics/exposition.ts';
import type { MetricJson } from '../../../plugins/metrics/metric-json.ts';
import { NeighbourMetrics } from '../../../plugins/metrics/neighbour-metrics.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { parseScrape } from './scrape.ts';

const counted = (value: number): MetricJson[] => [
  { name: 'svc_things_done_total', help: 'things', type: 'counter', values: [{ labels: { kind: 'a' }, value }] },
];

describe('the metrics of several workers', () => {
  const clock = createManualClock();
  const workers = (folder: string, lines: LogLine[] = []) =>
    [0, 1, 2].map((place) => new NeighbourMetrics({ clock, folder, place, log: createMemoryLogger(lines) })) as [
      NeighbourMetrics,
      NeighbourMetrics,
      NeighbourMetrics,
    ];

  it('appear together in a scrape of any worker, each with its index', () =>
    inTemporaryFolder(async (folder) => {
      const [first, second] = workers(folder);
      await first.write(counted(3));
      await second.write(counted(4));
      const own = { process: '0', metrics: counted(5) };
      const ofStore = { process: undefined, metrics: [{ ...counted(9)[0], name: 'svc_queue' } as MetricJson] };
      const text = await expose([own, ...(await first.read()), ofStore], 'prometheus');
      expect(parseScrape(text)).to.deep.equal([
        { name: 'svc_queue', labels: { kind: 'a' }, value: 9 },
        { name: 'svc_things_done_total', labels: { kind: 'a', process: '0' }, value: 5 },
        { name: 'svc_things_done_total', labels: { kind: 'a', process: '1' }, value: 4 },
      ]);
      expect(text.match(/# TYPE svc_things_done_total/g)).to.have.length(1);
    }));

  it('exclude a worker with an old, missing or incomplete file', () =>
    inTemporaryFolder(async (folder) => {
      const [first, second, third] = workers(folder);
      await second.write(counted(4));
      await clock.advance(30_000);
      await third.write(counted(1));
      await writeFile(join(folder, 'process-3.json'), '{"writtenMs":');
      await writeFile(join(folder, 'something-else'), 'x');
      expect((await first.read()).map(({ process }) => process)).to.deep.equal(['2']);
      await third.end();
      expect(await first.read()).to.deep.equal([]);
    }));

  it('are missing from a scrape of a worker that cannot read the folder, which says so once', () =>
    inTemporaryFolder(async (folder) => {
      const lines: LogLine[] = [];
      const [first] = workers(join(folder, 'removed'), lines);
      expect(await first.read()).to.deep.equal([]);
      expect(await first.read()).to.deep.equal([]);
      expect(lines.map(({ message }) => message)).to.deep.equal([
        'a scrape shows this process alone: the folder of metrics is unreadable',
      ]);
    }));
});
