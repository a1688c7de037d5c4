import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Clock, LocalRequests, NodeSelf, optional, Random, Vocabulary } from '../../kernel/plugin-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { BUILTIN_FORMATS } from './builtin-formats.ts';
import { importFromCommand } from './import-from-command.ts';
import { createImportJobs } from './import-job.ts';
import { importRoute } from './import-route.ts';
import { IMPORT_FORMATS } from './importers-api.ts';

export const importersPlugin = defineOwnPlugin({
  name: 'importers',
  summary: 'Imports the exports of other memory and chat products',
  requires: {
    clock: Clock,
    random: Random,
    routes: LocalRequests,
    self: NodeSelf,
    vocabulary: Vocabulary,
    jobs: optional(JobQueue),
  },
  declares: BUILTIN_FORMATS,
  commands: [importFromCommand],
  setup({ use: { vocabulary, jobs, ...rest }, log, route }) {
    const importJobs = jobs && createImportJobs(jobs, rest.random);
    route(importRoute({ ...rest, log, formats: vocabulary.words(IMPORT_FORMATS) }, importJobs));
  },
});
