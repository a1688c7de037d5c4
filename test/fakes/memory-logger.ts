import type { LogFields, Logger } from '../../kernel/log/logger.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Creates a logger that collects its lines for tests to read. */
export const createMemoryLogger = (lines: LogLine[], fixed: LogFields = {}): Logger => {
  const keep =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields: { ...fixed, ...fields } });
    };
  return {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: (fields) => createMemoryLogger(lines, { ...fixed, ...fields }),
  };
};
