import { join } from 'node:path';
import type { NodeSettings } from '../../kernel/plugin-api.ts';

/** Where the first key of a store lies. */
export const firstKeyFile = ({ dataFolder }: NodeSettings): string => join(dataFolder, 'admin.key');
