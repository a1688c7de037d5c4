import { type Principal, type Random, type RouteRequest, ServiceError } from '../../kernel/plugin-api.ts';
import type { JobData, JobQueue, JobRun } from '../jobs/jobs-api.ts';
import type { ProgressLine } from './progress-lines.ts';
import type { OpenedImport, SentImport } from './sent-import.ts';

export const IMPORT_JOB = 'imports.run';

type Request = RouteRequest<undefined, undefined, SentImport>;

/** Runs imports as jobs of the process that has their files in memory. */
export interface ImportJobs {
  /** Starts an import, and returns the id of its job. `onEnd` is called when it has ended, unless this rejects. */
  start(request: Request, opened: OpenedImport, onEnd: () => void): Promise<string>;
}

export const createImportJobs = (jobs: JobQueue, random: Random): ImportJobs => {
  /** Names this process in payloads, so that a later run knows whether it is the one that had the file. */
  const processId = random.uuid();
  const held = new Map<string, (job: JobRun) => Promise<JobData>>();
  jobs.handle(IMPORT_JOB, {
    async run(job) {
      const work = held.get(String(job.payload['file']));
      if (work === undefined) throw fileIsGone(job.payload['process'] === processId);
      return work(job);
    },
    async present({ importer, ...shown }, { caller }) {
      return isOpenTo(caller, importer, shown['scope']) ? shown : {};
    },
    covers: (payload, { caller }) => isOpenTo(caller, payload['importer'], payload['scope']),
  });
  return {
    async start(request, opened, onEnd) {
      const { caller, body } = request;
      const file = random.uuid();
      const about = { importer: caller.entityUri, scope: body.scope ?? 'local' };
      const end = (): void => {
        held.delete(file);
        onEnd();
      };
      held.set(file, (job) => runOnce(job, opened, { ...about, name: body.name }).finally(end));
      try {
        return await jobs.start({
          type: IMPORT_JOB,
          tenantId: caller.tenantId,
          creator: caller.entityUri,
          scope: about.scope,
          payload: { ...about, file, process: processId },
        });
      } catch (error) {
        held.delete(file);
        throw error;
      }
    },
  };
};

/** The sums tell of facts that other callers may not see, so only the importer gets them. */
const isOpenTo = ({ entityUri, allowedScopes }: Principal, importer: unknown, scope: unknown): boolean =>
  entityUri === importer && [...allowedScopes].some((allowed) => allowed === scope);

const runOnce = async (job: JobRun, { run, problemOf }: OpenedImport, about: JobData): Promise<JobData> => {
  const refused: unknown[] = [];
  const tell = (line: ProgressLine): void => {
    const { progress, refused: item } = line as { progress?: Counted; refused?: unknown };
    if (progress !== undefined) job.progress({ done: progress.done_bytes, total: progress.total_bytes });
    if (item !== undefined) refused.push(item);
  };
  try {
    const { samples: _, summary: __, ...sums } = (await run(tell, job.signal))['done'] as Record<string, unknown>;
    return { ...about, ...sums, refused_items: refused };
  } catch (error) {
    job.signal.throwIfAborted();
    const { detail, hint } = problemOf(error);
    // A second try could not begin at the start of the file again.
    throw new ServiceError('conflict', [detail, hint].filter(Boolean).join(': '));
  }
};

interface Counted {
  readonly done_bytes: number;
  readonly total_bytes: number;
}

/** The file goes with the end of its import. A job that is resumed after it, or taken by another process, has none. */
const fileIsGone = (isOwn: boolean): ServiceError =>
  new ServiceError(
    'conflict',
    isOwn
      ? `this import is over, and the node did not keep its file: ${AGAIN}`
      : `the process that had the file of this import has stopped, or the import is over: ${AGAIN}`,
  );

const AGAIN = 'import the file again, which stores nothing twice';
