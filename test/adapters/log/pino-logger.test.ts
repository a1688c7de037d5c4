import { expect } from 'chai';
import { createPinoLogger, type LogLevel } from '../../../adapters/log/pino-logger.ts';
import { ServiceError } from '../../../ports/ports.ts';

const logging = (level: LogLevel = 'debug') => {
  const texts: string[] = [];
  const log = createPinoLogger({ level, write: (text) => texts.push(text) });
  const lines = (): Record<string, unknown>[] => texts.map((text) => JSON.parse(text));
  return { log, texts, lines };
};

describe('the log', () => {
  it('writes one line of JSON per call: level, time, message and fields', () => {
    const { log, texts, lines } = logging();
    log.warn('slow', { plugin: 'cards', tookMs: 120 });
    const [line] = lines();
    expect(line).to.include({ level: 'warn', message: 'slow', plugin: 'cards', tookMs: 120 });
    expect(line?.['time']).to.match(/^\d{4}-\d{2}-\d{2}T.*Z$/);
    expect(Object.keys(line ?? {})).to.have.members(['level', 'time', 'message', 'plugin', 'tookMs']);
    expect(texts[0]?.endsWith('\n')).to.equal(true);
  });

  it('writes its own level and all more severe levels', () => {
    const levels = { debug: 4, info: 3, warn: 2, error: 1, silent: 0 } as const;
    for (const [level, count] of Object.entries(levels)) {
      const { log, texts } = logging(level as LogLevel);
      for (const call of ['debug', 'info', 'warn', 'error'] as const) log[call]('x');
      expect(texts, level).to.have.length(count);
    }
  });

  it('writes exactly one line for every logged value', () => {
    const { log, texts, lines } = logging();
    const evil = 'a\n{"level":"error","message":"forged"}\r\u2028","level":"error';
    log.info(evil, { key: evil });
    expect(texts).to.have.length(1);
    expect(texts[0]?.trimEnd()).not.to.include('\n');
    expect(lines()[0]).to.include({ level: 'info', message: evil, key: evil });
  });

  it('adds the fields of a child logger to each of its lines', () => {
    const { log, lines } = logging();
    log.child({ plugin: 'cards' }).child({ route: '/v1/cards' }).error('failed', { status: 500 });
    expect(lines()[0]).to.include({ plugin: 'cards', route: '/v1/cards', status: 500 });
  });

  it('adds its fixed fields to every line', () => {
    const texts: string[] = [];
    const log = createPinoLogger({ level: 'info', fields: { pid: 7 }, write: (text) => texts.push(text) });
    log.child({ plugin: 'cards' }).info('x');
    expect(JSON.parse(texts[0] ?? '')).to.include({ pid: 7, plugin: 'cards' });
  });

  it('writes an error with kind, stack, causes and location', () => {
    const { log, lines } = logging();
    const cause = Object.assign(new RangeError('inner'), { code: 'E_INNER' });
    const error = Object.assign(new Error('outer', { cause }), { plugin: 'cards', hook: 'fact:appended' });
    log.error('failed', { error });
    const written = lines()[0]?.['error'] as Record<string, unknown>;
    expect(written).to.include({ type: 'Error', message: 'outer', plugin: 'cards', hook: 'fact:appended' });
    expect(written['stack']).to.include('pino-logger.test');
    expect(written['cause']).to.include({ type: 'RangeError', message: 'inner', code: 'E_INNER' });
  });

  it('leaves out members of an error that may hold data', () => {
    const { log, texts } = logging();
    const error = Object.assign(new ServiceError('conflict', 'no', { members: { value: 'secret' } }), {
      bindings: ['secret'],
    });
    log.error('failed', { error });
    expect(texts[0]).not.to.include('secret');
  });

  it('logs an error whose chain of causes is circular', () => {
    const { log, texts } = logging();
    const error = new Error('round');
    error.cause = error;
    log.error('failed', { error });
    expect(texts).to.have.length(1);
  });

  it('accepts any value as an error', () => {
    const { log, lines } = logging();
    log.error('failed', { error: 'text' });
    log.error('failed', { error: { secret: 1 } });
    expect(lines().map(({ error }) => error)).to.deep.equal(['text', 'not an error, but of type object']);
  });
});
