import {
  Clock,
  definePlugin,
  KERNEL_API,
  LocalRequests,
  NODE_VERSION,
  NodeSelf,
  Random,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { BUILTIN_FORMATS } from './builtin-formats.ts';
import { importFromCommand } from './import-from-command.ts';
import { importRoute } from './import-route.ts';
import { IMPORT_FORMATS } from './importers-api.ts';

export const importersPlugin = definePlugin({
  name: 'importers',
  version: NODE_VERSION,
  kernelApi: KERNEL_API,
  summary: 'Imports the exports of other memory and chat products',
  requires: { clock: Clock, random: Random, routes: LocalRequests, self: NodeSelf, vocabulary: Vocabulary },
  declares: BUILTIN_FORMATS,
  commands: [importFromCommand],
  setup({ use: { vocabulary, ...rest }, log, route }) {
    route(importRoute({ ...rest, log, formats: vocabulary.words(IMPORT_FORMATS) }));
  },
});
