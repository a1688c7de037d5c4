import { askServer, defineCommand } from '../../../kernel/command-api.ts';
import { followJob } from '../../jobs/jobs-api.ts';

const PATH = '/v1/admin/reindex';

interface IndexDocument {
  readonly name: string;
  readonly state: string;
  readonly done?: number;
  readonly total?: number;
  readonly error?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export const reindexCommand = defineCommand({
  name: 'reindex',
  topic: 'node',
  summary: 'build search indexes anew while the node serves',
  description:
    'Asks a running node to build its indexes anew, and follows the work until it is done. Words need the memory of ' +
    'a second index meanwhile; vectors ask the embedder for every fact again, which may cost money; edges are compared ' +
    'with the facts. Needs a key of an administrator of the default tenant.',
  examples: [
    'fact-memory-node reindex --only words,edges',
    'fact-memory-node reindex --only vectors --detach',
    'fact-memory-node reindex --status',
  ],
  needs: 'server',
  options: {
    only: { type: 'words', value: 'words,vectors,edges', summary: 'these indexes; without, all of them' },
    status: { type: 'flag', summary: 'only show how complete the indexes are' },
    detach: { type: 'flag', summary: 'print the id of the job, and do not wait for it' },
    json: { type: 'flag', summary: 'print JSON' },
  },
  async run({ options: { only, status, detach, json }, stdout, table, ...context }) {
    const { server } = context;
    if (status) {
      const { document } = await askServer(server, { method: 'GET', path: PATH });
      const indexes = (document['indexes'] ?? []) as readonly IndexDocument[];
      const rows = [['index', 'state', 'progress', 'details', 'error'], ...indexes.map(rowOf)];
      stdout.write(json ? `${JSON.stringify(document)}\n` : table(rows, { titled: true }));
      return;
    }
    const reply = await askServer(server, {
      method: 'POST',
      path: PATH,
      body: only === undefined ? {} : { what: only },
    });
    if (detach) {
      stdout.write(json ? `${JSON.stringify(reply.document)}\n` : `${String(reply.document['job_id'])}\n`);
      return;
    }
    const ended = await followJob({ ...context }, reply);
    stdout.write(json ? `${JSON.stringify(ended)}\n` : 'The indexes were built anew.\n');
  },
});

const rowOf = ({ name, state, done, total, error, details = {} }: IndexDocument): string[] => [
  name,
  state,
  done === undefined ? '' : `${done} of ${total ?? '?'}`,
  Object.entries(details)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', '),
  error ?? '',
];
