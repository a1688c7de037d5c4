import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { AreaField } from '../../kit/form-fields.tsx';
import { useSession } from '../../session/session.ts';

type Verdict = AnswerOf<'POST /v1/federation/capability-tokens/verify'>;

/** Checks if a token is valid now. The dialog stays open for further tokens. */
export const VerifyToken = ({ onClose }: { onClose: () => void }) => {
  const { client, own } = useSession('capabilities');
  const [verdict, setVerdict] = useState<Verdict | undefined>();
  return (
    <FormDialog
      title={own.verify}
      submit={own.verifyNow}
      onClose={onClose}
      onSubmit={async (values) => {
        setVerdict(undefined);
        const body = { token_json: values.text('token') };
        setVerdict(await client.call('POST /v1/federation/capability-tokens/verify', { body }));
      }}
    >
      <AreaField name="token" label={own.token} hint={own.tokenHint} rows={6} isRequired />
      <p role="status">
        {verdict?.valid === true && <span class="tag good">{own.valid}</span>}
        {verdict?.valid === false && (
          <>
            <span class="tag bad">{own.invalid}</span> <bdi>{verdict.reason}</bdi>
          </>
        )}
      </p>
    </FormDialog>
  );
};
