import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Job, JobFailedError } from '../../../../client/client.ts';
import { useSession } from '../session/session.ts';
import { fill } from '../texts/texts.ts';
import { Problem } from './problem.tsx';

interface ProgressProps {
  readonly id: string;
  /** Called once, with the finished job and its result. */
  readonly onDone: (job: Job) => void;
  /** Called once if the job failed or was cancelled, instead of showing that here. */
  readonly onFailed?: () => void;
}

/** Follows a job of the node to its end. The job continues if the reader leaves. */
export const JobProgress = ({ id, onDone, onFailed }: ProgressProps) => {
  const { client } = useSession();
  const [job, setJob] = useState<Job | undefined>();
  const [error, setError] = useState<unknown>();
  const latest = useRef({ onDone, onFailed });
  latest.current = { onDone, onFailed };
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    client.followJob(id, { signal, onProgress: setJob }).then(
      (done) => latest.current.onDone(done),
      (problem: unknown) => {
        if (signal.aborted) return;
        if (latest.current.onFailed !== undefined && problem instanceof JobFailedError) latest.current.onFailed();
        else setError(problem);
      },
    );
    return () => controller.abort();
  }, [id]);
  if (error !== undefined) return <Problem error={error} />;
  return <JobBar job={job} />;
};

/** The progress of a job, as a bar and in words. */
export const JobBar = ({ job }: { job: Job | undefined }) => {
  const { jobs: texts } = useSession().texts;
  const { done = 0, total = null } = job?.progress ?? {};
  const words = total === null ? fill(texts.doneSoFar, { done }) : fill(texts.doneOf, { done, total });
  return (
    <p class="job-bar" role="status">
      {total === null ? (
        <progress aria-label={texts.progress} />
      ) : (
        <progress aria-label={texts.progress} value={done} max={Math.max(total, 1)} />
      )}
      {job?.progress !== undefined && <span>{words}</span>}
    </p>
  );
};
