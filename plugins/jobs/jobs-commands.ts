import {
  askServer,
  type CommandGroup,
  type CommandServer,
  defineCommand,
  EXIT,
  jsonLine,
  readPages,
  type ServerReply,
} from '../../kernel/command-api.ts';
import { followJob } from './follow-job.ts';

type JobDocument = ServerReply['document'];

const STATUSES = ['pending', 'running', 'done', 'failed'];
const id = { summary: 'id of the job, as "fact-memory-node jobs list" shows it' };
const json = { type: 'flag', summary: 'one JSON object per line' } as const;

const listCommand = defineCommand({
  name: 'list',
  summary: 'your jobs, newest first; those of the whole tenant for administrators',
  needs: 'server',
  options: {
    type: { type: 'text', value: 'type', summary: 'only jobs of this type' },
    status: { type: 'text', value: 'status', of: STATUSES, summary: `only jobs in this state: ${STATUSES.join(', ')}` },
    limit: { type: 'integer', value: 'n', minimum: 1, maximum: 10_000, default: 50, summary: 'most jobs to show' },
    json,
  },
  async run({ options: { type, status, limit, json: asJson }, server, stdout, table }) {
    const filter = { ...(type === undefined ? {} : { type }), ...(status === undefined ? {} : { status }) };
    const jobs = await listedJobs(server, filter, limit);
    stdout.write(
      asJson
        ? jobs.map(jsonLine).join('')
        : table([['id', 'type', 'status', 'progress', 'created', 'error'], ...jobs.map(rowOf)], { titled: true }),
    );
  },
});

const listedJobs = async (
  server: CommandServer,
  filter: Readonly<Record<string, string>>,
  limit: number,
): Promise<JobDocument[]> => {
  const jobs: JobDocument[] = [];
  const asked = { path: '/v1/jobs', query: filter, list: 'jobs', limit };
  for await (const { items } of readPages<JobDocument>(server, asked)) jobs.push(...items);
  return jobs;
};

const rowOf = (job: JobDocument): string[] => [
  String(job['job_id']),
  String(job['job_type']),
  String(job['status']),
  progressText(job),
  String(job['created_at']),
  String(job['error'] ?? ''),
];

/** For example `1200 of 5000, 24 %, 300/s`. */
const progressText = ({ progress, status }: JobDocument): string => {
  if (progress === undefined) return '';
  const { done, total, rate_per_s: rate } = progress as { done: number; total: number | null; rate_per_s: number };
  const share = total === null || total === 0 ? '' : ` of ${total}, ${Math.floor((done / total) * 100)} %`;
  return `${done}${share}${status === 'running' ? `, ${rate}/s` : ''}`;
};

const readJobDocument = async (server: CommandServer, job: string): Promise<JobDocument> =>
  (await askServer(server, { method: 'GET', path: pathOf(job) })).document;

const pathOf = (job: string): string => `/v1/jobs/${encodeURIComponent(job)}`;

/** A failed job gives exit code 1, so that a script notices the failure. */
const exitOf = ({ status }: JobDocument): number => (status === 'failed' ? EXIT.failed : EXIT.ok);

const showCommand = defineCommand({
  name: 'show',
  summary: 'one job, with its progress and its result',
  description: 'Shows one job with what it found. The exit code is 1 for a job that has failed.',
  needs: 'server',
  arguments: { job: id },
  options: { json },
  async run({ arguments: { job }, options, server, stdout, table }) {
    const document = await readJobDocument(server, job);
    stdout.write(options.json ? jsonLine(document) : table(linesOf(document)));
    return exitOf(document);
  },
});

const linesOf = (job: JobDocument): string[][] =>
  Object.entries(job).map(([name, value]) => {
    if (name === 'progress') return [name, progressText(job)];
    return [name, typeof value === 'string' ? value : JSON.stringify(value)];
  });

const watchCommand = defineCommand({
  name: 'watch',
  summary: 'follow a job until it ends, with a bar on a terminal',
  description:
    'Shows how far a job is until it ends, then what it found. Stopping the command does not stop the job. ' +
    'The exit code is 1 for a job that has failed.',
  needs: 'server',
  arguments: { job: id },
  options: { json },
  async run({ arguments: { job }, options, stdout, table, ...context }) {
    const { document } = await askServer(context.server, { method: 'GET', path: pathOf(job) });
    const ended = await followJob({ ...context }, { status: 202, document }, 'units');
    stdout.write(options.json ? jsonLine(ended) : table(linesOf(ended)));
  },
});

const cancelCommand = defineCommand({
  name: 'cancel',
  summary: 'end a job that waits or runs',
  needs: 'server',
  arguments: { job: id },
  async run({ arguments: { job }, server, stderr }) {
    await askServer(server, { method: 'DELETE', path: pathOf(job) });
    stderr.write(`Job ${job} is cancelled\n`);
  },
});

const resumeCommand = defineCommand({
  name: 'resume',
  summary: 'let a job that failed or was cancelled go on from where it was',
  needs: 'server',
  arguments: { job: id },
  options: { watch: { type: 'flag', summary: 'follow it until it ends' } },
  async run({ arguments: { job }, options, stdout, table, ...context }) {
    const reply = await askServer(context.server, { method: 'POST', path: `${pathOf(job)}/resume` });
    context.stderr.write(`Job ${job} goes on\n`);
    if (options.watch) stdout.write(table(linesOf(await followJob({ ...context }, reply, 'units'))));
  },
});

export const jobsCommands: CommandGroup = {
  name: 'jobs',
  topic: 'node',
  summary: 'watch, cancel and resume the long work of a running node',
  examples: [
    'fact-memory-node jobs list --status running',
    'fact-memory-node jobs watch 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
    'fact-memory-node jobs cancel 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  ],
  commands: [listCommand, showCommand, watchCommand, cancelCommand, resumeCommand],
};
