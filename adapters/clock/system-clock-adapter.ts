import { ADAPTER_API, Clock, defineClock } from '../../ports/ports.ts';

/** The time of the system. */
export const systemClockAdapter = defineClock({
  port: Clock,
  name: 'system',
  adapterApi: ADAPTER_API,
  create: (_settings, { clock }) => clock,
});
