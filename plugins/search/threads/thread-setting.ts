import { availableParallelism } from 'node:os';

/** Whether work gets separate threads. `auto` uses them if there is a second processor core. */
export type ThreadSetting = 'auto' | 'on' | 'off';

export const usesThreads = (setting: ThreadSetting): boolean =>
  setting === 'auto' ? availableParallelism() > 1 : setting === 'on';
