import { askServer, type CommandGroup, defineCommand } from '../../kernel/command-api.ts';
import { followJob } from '../jobs/jobs-api.ts';

const statusCommand = defineCommand({
  name: 'status',
  summary: 'tasks of upkeep, when they are due, and what came of their last runs',
  examples: ['fact-memory-node upkeep status'],
  needs: 'server',
  options: { json: { type: 'flag', summary: 'the answer of the node as one JSON object' } },
  async run({ options: { json }, server, stdout, table }) {
    const { document } = await askServer(server, { method: 'GET', path: '/v1/upkeep' });
    if (json) {
      stdout.write(`${JSON.stringify(document)}\n`);
      return;
    }
    const tasks = document['tasks'] as readonly ShownTask[];
    const rows = tasks.map(({ name, per, patterns, next_at, runs: [last] }) => [
      name,
      per,
      patterns.length === 0 ? 'not scheduled' : patterns.join('; '),
      next_at ?? '-',
      last === undefined ? 'never ran' : `${last.status} ${last.completed_at ?? last.due_at}`,
      last?.error ?? shortResult(last?.result),
    ]);
    stdout.write(table([['task', 'per', 'schedule', 'next', 'last run', 'result'], ...rows], { titled: true }));
  },
});

interface ShownTask {
  readonly name: string;
  readonly per: string;
  readonly patterns: readonly string[];
  readonly next_at: string | null;
  readonly runs: readonly {
    readonly due_at: string;
    readonly status: string;
    readonly completed_at?: string;
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: string;
  }[];
}

/** Shows counts and texts of a result. Nested members appear only with `--json`. */
const shortResult = (result: Readonly<Record<string, unknown>> = {}): string =>
  Object.entries(result)
    .filter(([, value]) => typeof value !== 'object')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

const runCommand = defineCommand({
  name: 'run',
  summary: 'run a task of upkeep now',
  examples: ['fact-memory-node upkeep run lint'],
  needs: 'server',
  arguments: { task: { summary: 'its name, as "fact-memory-node upkeep status" shows it' } },
  options: { json: { type: 'flag', summary: 'the finished job as one JSON object' } },
  async run(context) {
    const path = `/v1/upkeep/${encodeURIComponent(context.arguments.task)}/run`;
    const reply = await followJob(context, await askServer(context.server, { method: 'POST', path }));

    context.stdout.write(context.options.json ? `${JSON.stringify(reply)}\n` : `${shortResult(reply)}\n`);
  },
});

export const upkeepCommands: CommandGroup = {
  name: 'upkeep',
  topic: 'node',
  summary: 'tasks that keep the memory in order, and their schedule',
  commands: [statusCommand, runCommand],
};
