import { availableParallelism } from 'node:os';

/** Whether work gets threads of its own: `auto` where there is a second core for them. */
export type ThreadSetting = 'auto' | 'on' | 'off';

export const usesThreads = (setting: ThreadSetting): boolean =>
  setting === 'auto' ? availableParallelism() > 1 : setting === 'on';
