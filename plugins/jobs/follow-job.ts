import type { Writable } from 'node:stream';
import { askServer, type CommandServer, type Progress, type ServerReply } from '../../kernel/command-api.ts';
import { type Clock, ServiceError } from '../../kernel/plugin-api.ts';

/** Interval between two requests for the job. */
const LOOK_MS = 1_000;

/** The part of a command's context that `followJob` needs. */
export interface FollowContext {
  readonly server: CommandServer;
  readonly clock: Clock;
  readonly stderr: Writable;
  progress(total: number | null, unit?: string): Progress;
}

type JobDocument = ServerReply['document'];

/**
 * Waits for a job that a command has started, and shows its progress. Returns any reply other than 202 as it is, and
 * otherwise the finished job with its result. Rejects if the job failed or was cancelled. The job continues if the
 * command is interrupted. `unit` names the counted items in the plural.
 */
export const followJob = async (
  context: FollowContext,
  reply: Pick<ServerReply, 'status' | 'document'>,
  unit = 'facts',
): Promise<JobDocument> => {
  if (reply.status !== 202) return reply.document;
  const id = String(reply.document['job_id']);
  const view = viewOf(context, unit);
  view.say(
    `job ${id} does the work; it goes on if you stop this command: "fact-memory-node jobs watch ${id}" shows it again`,
  );
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

/** Shows the progress of one job: as a bar once its size is known. */
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
