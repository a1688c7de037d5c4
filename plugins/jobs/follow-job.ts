import type { Writable } from 'node:stream';
import {
  askServer,
  type Clock,
  type CommandServer,
  type Progress,
  type ServerReply,
  ServiceError,
} from '../../kernel/plugin-api.ts';

/** How often a job is looked at. */
const LOOK_MS = 1_000;

/** What `followJob` needs of the context of a command that speaks to a running node. */
export interface FollowContext {
  readonly server: CommandServer;
  readonly clock: Clock;
  readonly stderr: Writable;
  progress(total: number | null, unit?: string): Progress;
}

type JobDocument = ServerReply['document'];

/**
 * Waits for the work that a node does for a command, and shows how far it is. Returns what a reply says that is no 202,
 * and otherwise the job once it is done, its result beside its own members. Rejects where the job has failed or was
 * cancelled. The job goes on when the command is interrupted. `unit` says in the plural what the job counts.
 */
export const followJob = async (
  context: FollowContext,
  reply: Pick<ServerReply, 'status' | 'document'>,
  unit = 'facts',
): Promise<JobDocument> => {
  if (reply.status !== 202) return reply.document;
  const id = String(reply.document['job_id']);
  const view = viewOf(context, unit);
  view.say(`job ${id} does the work; it goes on if you stop this command: "jobs watch ${id}" shows it again`);
  try {
    for (;;) {
      const { document } = await askServer(context.server, { method: 'GET', path: `/v1/jobs/${id}` });
      view.show(document);
      if (document['status'] === 'done') return document;
      if (document['status'] === 'failed') throw failed(id, document);
      await new Promise<void>((resolve) => void context.clock.schedule(LOOK_MS, resolve));
    }
  } finally {
    view.end();
  }
};

/** Shows one job: a bar as soon as its size is known. */
const viewOf = ({ progress: open, stderr }: FollowContext, unit: string) => {
  let shown: { readonly progress: Progress; total: number | null } | undefined;
  return {
    show(job: JobDocument): void {
      const { done, total } = (job['progress'] ?? {}) as { readonly done?: number; readonly total?: number | null };
      if (done === undefined || total === undefined) return;
      // Lines of work without a size become a bar once the size is known.
      if (shown === undefined || (shown.total === null && total !== null)) {
        shown?.progress.end();
        shown = { progress: open(total, unit), total };
      }
      if (total !== null && total !== shown.total) {
        shown.total = total;
        shown.progress.resize(total);
      }
      shown.progress.update(done);
    },
    say: (line: string): void => void stderr.write(`${line}\n`),
    end: (): void => shown?.progress.end(),
  };
};

const failed = (id: string, { error }: JobDocument): ServiceError => {
  const why = typeof error === 'string' ? error : 'its error was erased';
  return new ServiceError('unavailable', `the job has failed: ${why}`, {
    hint: `"jobs resume ${id}" lets it go on from where it was`,
  });
};
