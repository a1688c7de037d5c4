import { ADAPTER_API, Clock, defineClock } from '../../ports/ports.ts';

/** The clock adapter for the time of the operating system. */
export const systemClockAdapter = defineClock({
  port: Clock,
  name: 'system',
  adapterApi: ADAPTER_API,
  create: (_settings, { clock }) => clock,
});
