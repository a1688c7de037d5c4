import { Dialog } from '../../kit/dialog.tsx';
import { JsonText } from '../../kit/json-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';

/** A job with its result, whose members depend on the type of the job. */
export const JobDetail = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { client, texts } = useSession();
  const asked = useRequest((signal) => client.call('GET /v1/jobs/{id}', { params: { id }, signal }), [id]);
  return (
    <Dialog title={texts.jobs.one} onClose={onClose}>
      <Answer asked={asked}>{(job) => <JsonText label={texts.jobs.one} value={job} />}</Answer>
    </Dialog>
  );
};
