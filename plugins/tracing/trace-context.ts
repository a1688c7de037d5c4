import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { RemoteParent } from '../../kernel/internal-api.ts';

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** The maximum length of `tracestate` in characters. A longer one is dropped, as W3C Trace Context allows. */
const MOST_STATE_CHARACTERS = 512;
const SAMPLED = 1;

/** Reads the span of another program from its headers (W3C Trace Context). Undefined without a valid one. */
export const readTraceContext = ({ traceparent, tracestate }: RemoteParent): SpanContext | undefined => {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(traceparent.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined || version === 'ff') return undefined;
  // Only later versions of the format may have further parts after the flags.
  if (version === '00' && rest !== undefined) return undefined;
  const isState = tracestate !== undefined && tracestate !== '' && tracestate.length <= MOST_STATE_CHARACTERS;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & SAMPLED,
    isRemote: true,
    ...(isState && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(context) ? context : undefined;
};

/** Returns the headers that identify this span to another program. */
export const traceHeaders = ({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> => {
  const state = traceState?.serialize() ?? '';
  return {
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & SAMPLED).toString(16).padStart(2, '0')}`,
    ...(state !== '' && { tracestate: state }),
  };
};
