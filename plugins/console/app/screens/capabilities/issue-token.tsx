import { FormDialog } from '../../kit/form-dialog.tsx';
import { ChoiceField, TextField } from '../../kit/form-fields.tsx';
import type { FormValues } from '../../kit/form-values.ts';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import { LIFETIMES, readSpan, SpanField } from '../../kit/span-field.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { may, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

const VERBS = ['subscribe', 'read', 'write', 'admin', 'federate', 'tombstone:read'] as const;
type Verb = (typeof VERBS)[number];

/** Issues a token. Only an administrator may issue one to another entity. */
export const IssueToken = ({ actions }: { actions: Actions }) => {
  const { client, reader, own } = useSession('capabilities');
  const isAdmin = may(reader, 'admin');
  const issue = async (values: FormValues): Promise<void> => {
    const { subject, token_json: token } = await client.call('POST /v1/federation/capability-tokens', {
      body: {
        issuer: reader.entity_uri,
        subject: isAdmin ? values.text('subject') : reader.entity_uri,
        verb: values.text('verb') as Verb,
        object: values.text('object'),
        ttl_seconds: readSpan(values, 'lifetime'),
      },
    });
    actions.done(
      fill(own.issued, { name: subject }),
      <SecretDialog title={own.tokenTitle} secret={token} text={own.tokenText} onClose={actions.close} />,
    );
  };
  return (
    <FormDialog title={own.issue} submit={own.issue} onSubmit={issue} onClose={actions.close}>
      {isAdmin && (
        <TextField
          name="subject"
          label={own.subject}
          hint={own.subjectHint}
          value={reader.entity_uri}
          isRequired
          maxLength={2048}
        />
      )}
      <ChoiceField name="verb" label={own.verb} options={VERBS} />
      <TextField name="object" label={own.object} hint={own.objectHint} isRequired maxLength={2048} />
      <SpanField name="lifetime" label={own.lifetime} among={LIFETIMES} value="day" />
    </FormDialog>
  );
};
