import { availableParallelism } from 'node:os';
import type { CreateHost } from './index-host.ts';
import { LocalHost } from './local-host.ts';
import { ThreadHost } from './thread-host.ts';

/** Whether work gets threads of its own: `auto` where there is a second core for them. */
export type ThreadSetting = 'auto' | 'on' | 'off';

export const usesThreads = (setting: ThreadSetting): boolean =>
  setting === 'auto' ? availableParallelism() > 1 : setting === 'on';

export const chooseHost =
  (setting: ThreadSetting): CreateHost =>
  (seed) =>
    usesThreads(setting) ? new ThreadHost(seed) : new LocalHost(seed);
