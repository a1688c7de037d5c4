import type { LogFields, Logger } from '../log/logger.ts';
import type { Telemetry } from './telemetry-api.ts';

/** Adds trace and span ids to log lines inside a span; without a tracer, lines stay unchanged. */
export const tracedLog = (log: Logger, telemetry: Telemetry): Logger => {
  const traced = (fields: LogFields | undefined): LogFields | undefined => {
    const place = telemetry.activeSpan();
    return place === undefined ? fields : { ...fields, trace_id: place.traceId, span_id: place.spanId };
  };
  return {
    debug: (message, fields) => log.debug(message, traced(fields)),
    info: (message, fields) => log.info(message, traced(fields)),
    warn: (message, fields) => log.warn(message, traced(fields)),
    error: (message, fields) => log.error(message, traced(fields)),
    child: (fields) => tracedLog(log.child(fields), telemetry),
  };
};
