import { readAnnotate, readConstrain } from '../facts/read-hooks.ts';
import { countSlowHandlers } from '../hooks/count-slow-handlers.ts';
import { HookBus } from '../hooks/hook-bus.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import type { KernelOptions } from './kernel.ts';

/** Creates the hook bus of a node, before plugins register handlers. */
export const openHooks = ({ adapters, log }: KernelOptions, telemetry: Telemetry): HookBus =>
  new HookBus({
    clock: adapters.clock,
    log,
    onSlow: countSlowHandlers(telemetry),
    cacheable: [readConstrain, readAnnotate],
  });
