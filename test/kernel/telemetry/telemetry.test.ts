import { expect } from 'chai';
import type { Meter, Span, Tracer } from '../../../kernel/internal-api.ts';
import { createTelemetry } from '../../../kernel/telemetry/create-telemetry.ts';

const recordingMeter = () => {
  const heard: unknown[] = [];
  const meter: Meter = {
    add: ({ name }, amount, labels) => heard.push([name, amount, labels]),
    observe: ({ name }, value, labels) => heard.push([name, value, labels]),
  };
  return { heard, meter };
};

describe('the telemetry of a node', () => {
  it('passes the values of counters and histograms to a meter while the meter is attached', () => {
    const telemetry = createTelemetry();
    const counter = telemetry.counter({ name: 'things_done_total', help: 'things', labels: ['kind'] });
    const histogram = telemetry.histogram({ name: 'things_wait_seconds', help: 'waits', buckets: [1, 2] });
    counter.add(1, { kind: 'early' });
    const { heard, meter } = recordingMeter();
    const detach = telemetry.attachMeter(meter);
    expect([counter.isHeard, histogram.isHeard]).to.deep.equal([true, true]);
    counter.add(2, { kind: 'a' });
    counter.add(undefined, { kind: 'b' });
    histogram.observe(1.5);
    detach();
    histogram.observe(3);
    expect(counter.isHeard).to.equal(false);
    expect(heard).to.deep.equal([
      ['things_done_total', 2, { kind: 'a' }],
      ['things_done_total', 1, { kind: 'b' }],
      ['things_wait_seconds', 1.5, undefined],
    ]);
  });

  it('accepts one meter and one tracer at a time', () => {
    const telemetry = createTelemetry();
    const detach = telemetry.attachMeter(recordingMeter().meter);
    expect(() => telemetry.attachMeter(recordingMeter().meter)).to.throw('attached already');
    detach();
    detach();
    telemetry.attachMeter(recordingMeter().meter);
  });

  it('lists its instruments by name, and refuses a second one with an existing name', () => {
    const telemetry = createTelemetry();
    telemetry.gauge({ name: 'queue_length', help: 'waiting' }, () => 3);
    telemetry.counter({ name: 'queue_done_total', help: 'done' });
    expect(telemetry.instruments().map(({ name, kind }) => [name, kind])).to.deep.equal([
      ['queue_done_total', 'counter'],
      ['queue_length', 'gauge'],
    ]);
    expect(() => telemetry.counter({ name: 'queue_done_total', help: 'done' })).to.throw('declared twice');
  });

  it('refuses names that Prometheus does not accept, or that break its conventions', () => {
    const telemetry = createTelemetry();
    const help = 'x';
    expect(() => telemetry.counter({ name: 'queue_done', help })).to.throw('must end with _total');
    expect(() => telemetry.gauge({ name: 'Queue-Length', help }, () => 1)).to.throw('no name of an instrument');
    expect(() => telemetry.gauge({ name: 'queue_a', help, labels: ['le'] }, () => 1)).to.throw('no name of a label');
    expect(() => telemetry.histogram({ name: 'queue_b', help, buckets: [2, 1] })).to.throw('must ascend');
  });

  it('runs work directly without a tracer, and through the tracer otherwise', async () => {
    const telemetry = createTelemetry();
    expect(telemetry.span('a', {}, (span) => [span.place, span.headers(), telemetry.activeSpan()])).to.deep.equal([
      undefined,
      {},
      undefined,
    ]);
    const names: string[] = [];
    const place = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
    const tracer: Tracer = {
      span: (name, _options, work) => {
        names.push(name);
        return work({ place } as Span);
      },
      activeSpan: () => place,
    };
    const detach = telemetry.attachTracer(tracer);
    expect(telemetry.isTracing).to.equal(true);
    expect(await telemetry.span('b', {}, async (span) => span.place)).to.equal(place);
    expect(telemetry.activeSpan()).to.equal(place);
    detach();
    expect(telemetry.isTracing).to.equal(false);
    expect(names).to.deep.equal(['b']);
  });
});
