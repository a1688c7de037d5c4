import type { Requires } from '../container/requires.ts';
import { NODE_VERSION } from '../identity/node-version.ts';
import { definePlugin, KERNEL_API, type Plugin } from './plugin-definition.ts';

/** Declares a plugin of this package, which has the version of the node. */
export const defineOwnPlugin = <const R extends Requires = Record<never, never>, C = undefined>(
  plugin: Omit<Plugin<R, C>, 'version' | 'kernelApi'>,
): Plugin<R, C> => definePlugin({ ...plugin, version: NODE_VERSION, kernelApi: KERNEL_API });
