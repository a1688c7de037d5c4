import { expect } from 'chai';
import { sparingLog } from '../../../kernel/log/sparing-log.ts';
import { ServiceError } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const MESSAGE = 'the queue could not be read; it will be tried again';
const away = () => new ServiceError('unavailable', 'nothing listens where the database should be');

describe('the log of a plugin in an outage', () => {
  const open = () => {
    const clock = createManualClock();
    const lines: LogLine[] = [];
    return { clock, lines, log: sparingLog(createMemoryLogger(lines), clock) };
  };

  it('has the same warning once a minute, with the number of those that were left out', async () => {
    const { clock, lines, log } = open();
    for (let second = 0; second < 150; second += 1) {
      log.warn(MESSAGE, { error: away() });
      await clock.advance(1_000);
    }
    expect(lines.map(({ message, fields }) => [message, fields?.['leftOut']])).to.deep.equal([
      [MESSAGE, undefined],
      [MESSAGE, 59],
      [MESSAGE, 59],
    ]);
  });

  it('has no number of those that an earlier outage left out', async () => {
    const { clock, lines, log } = open();
    for (let time = 0; time < 3; time += 1) log.warn(MESSAGE, { error: away() });
    await clock.advance(86_400_000);
    log.warn(MESSAGE, { error: away() });
    expect(lines.map(({ fields }) => fields?.['leftOut'])).to.deep.equal([undefined, undefined]);
  });

  it('has each warning with another text, reason, cause or field at once', () => {
    const { lines, log } = open();
    log.warn(MESSAGE, { error: away() });
    log.warn('another text', { error: away() });
    log.warn(MESSAGE, { error: new ServiceError('unavailable', 'another reason') });
    log.warn(MESSAGE, { topic: 'another', error: away() });
    const { code, message } = away();
    log.warn(MESSAGE, { error: new ServiceError('unavailable', message, { cause: new Error(code) }) });
    expect(lines).to.have.length(5);
  });

  it('has every line that is about no outage', () => {
    const { lines, log } = open();
    for (const error of [new Error('a bug'), new ServiceError('validation', 'wrong'), undefined]) {
      for (let time = 0; time < 3; time += 1) log.warn(MESSAGE, { error });
    }
    for (let time = 0; time < 3; time += 1) log.error(MESSAGE, { error: away() });
    expect(lines).to.have.length(12);
  });

  it('remembers a limited number of warnings', () => {
    const { lines, log } = open();
    for (let kind = 0; kind < 1_000; kind += 1) log.warn(MESSAGE, { kind, error: away() });
    log.warn(MESSAGE, { kind: 0, error: away() });
    expect(lines).to.have.length(1_001);
  });

  it('is the log that plugins get', async () => {
    const node = await startTestNode({
      plugins: [
        {
          name: 'failing',
          version: '1.0.0',
          kernelApi: 1,
          summary: 'repeats a task that fails',
          setup: ({ every }) => every(1_000, () => Promise.reject(away())),
        },
      ],
    });
    for (let second = 0; second < 30; second += 1) await node.clock.advance(1_000);
    const told = node.logLines.filter(({ level, message }) => level === 'warn' && /tried again/.test(message));
    await node.stop();
    expect(told).to.have.length(1);
  });
});
