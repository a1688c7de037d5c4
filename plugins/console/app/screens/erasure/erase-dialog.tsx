import { useState } from 'preact/hooks';
import type { Job } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { JobBar } from '../../kit/job-progress.tsx';
import { type ErasureReceipt, Receipt } from '../../kit/receipt.tsx';
import { Answer } from '../../kit/state.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import type { Tombstone } from './tombstone.ts';

interface EraseProps {
  readonly tombstone: Tombstone;
  readonly actions: Actions;
}

/** Previews an erasure, asks the reader to type the entity, and shows the receipt. */
export const EraseDialog = ({ tombstone, actions }: EraseProps) => {
  const { own } = useSession('erasure');
  const { entity_uri: entity } = tombstone;
  const [job, setJob] = useState<Job | undefined>();
  const erase = useErase(tombstone, setJob);
  const preview = useRequest((signal) => erase(true, signal), [tombstone.id]);
  return (
    <ConfirmDialog
      title={fill(own.eraseTitle, { entity })}
      submit={own.eraseNow}
      typed={entity}
      onClose={actions.close}
      onConfirm={async () => {
        const receipt = await erase(false);
        actions.done(
          fill(own.erased, { entity }),
          <ReceiptDialog title={fill(own.receiptOf, { entity })} receipt={receipt} onClose={actions.close} />,
        );
      }}
    >
      <p>{own.eraseText}</p>
      {job !== undefined && job.status !== 'done' && <JobBar job={job} />}
      <Answer asked={preview}>{(receipt) => <Receipt receipt={receipt} isPreview />}</Answer>
    </ConfirmDialog>
  );
};

/** A large erasure runs as a job, which continues after the dialog closes. */
const useErase = ({ id, entity_uri: entity }: Tombstone, onJob: (job: Job) => void) => {
  const { client, texts } = useSession();
  return async (isTrial: boolean, signal?: AbortSignal): Promise<ErasureReceipt> => {
    const body = { confirm: entity, dry_run: isTrial };
    const answer = await client.call('POST /v1/tombstones/{id}/erase', { params: { id }, body, signal });
    if (!('job_id' in answer)) return answer;
    const job: Job & { receipt?: ErasureReceipt } = await client.followJob(answer, { signal, onProgress: onJob });
    if (job.receipt === undefined) throw new Error(texts.erasure.noReceipt);
    return job.receipt;
  };
};

interface ReceiptDialogProps {
  readonly title: string;
  readonly receipt: ErasureReceipt;
  readonly onClose: () => void;
}

const ReceiptDialog = ({ title, receipt, onClose }: ReceiptDialogProps) => {
  const texts = useSession().texts;
  return (
    <Dialog title={title} onClose={onClose}>
      <Receipt receipt={receipt} />
      <div class="dialog-end">
        <CopyButton text={JSON.stringify(receipt, null, 2)} label={texts.erasure.copyReceipt} />
        <Button text={texts.close} class="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
};
