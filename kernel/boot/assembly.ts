import type { ServeOptions } from '../../ports/ports.ts';
import type { Container } from '../container/awilix-container.ts';
import type { HookBus } from '../hooks/hook-bus.ts';
import type { OwnedRoute } from '../http/route-table.ts';
import type { SettingReport } from '../plugins/plugin-config.ts';
import type { PluginLife } from '../plugins/plugin-context.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { KernelOptions } from './kernel.ts';
import type { PlannedPlugin } from './plan-boot.ts';
import type { StopStack } from './stop-stack.ts';

/** The state of a node while it boots and until it stops. */
export interface Assembly {
  readonly options: KernelOptions;
  readonly telemetry: Telemetry;
  readonly plugins: readonly PlannedPlugin[];
  readonly vocabulary: Vocabulary;
  readonly hooks: HookBus;
  readonly container: Container;
  readonly stops: StopStack;
  readonly routes: OwnedRoute[];
  readonly lives: PluginLife[];
  readonly settings: readonly SettingReport[];
  /** Compiles the routes at the first call; undefined until every plugin is set up. */
  served: (() => ServeOptions) | undefined;
  /** Lets the plugins take leases. Undefined until the plugins have started. */
  beginLeases?: () => Promise<void>;
  /** True if this boot has created the tables of the store. */
  hasNewStore: boolean;
  isServing: boolean;
  /** True from the first call of `stop`, although the node still serves for `drainDelayMs`. */
  isStopping: boolean;
  /** The monotonic time by which the stop must end; undefined until the node begins to stop. */
  stopByMs: number | undefined;
}
