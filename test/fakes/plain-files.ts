import type { PluginFiles } from '../../kernel/internal-api.ts';

/** The files of a plugin on a node without a key of the operator. */
export const plainFiles: PluginFiles = {
  isSealing: false,
  seal: (_name, bytes) => bytes,
  open: (_name, bytes) => bytes,
};
