import type { BodyOf } from '../../../../../client/client.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { AreaField, ChecksField, ChoiceField, TextField } from '../../kit/form-fields.tsx';
import type { FormValues } from '../../kit/form-values.ts';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import { LIFETIMES, readSpan, SpanField } from '../../kit/span-field.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { EVENT_TYPES, objectFor, TARGET_TYPES, type TargetType } from './targets.ts';

/** Subscribes a webhook. It needs a capability token, and issues one if the reader has none. */
export const NewSubscription = ({ actions }: { actions: Actions }) => {
  const { client, reader, setup, own } = useSession('subscriptions');
  const canIssue = may(reader, 'write') && hasRoute(setup, 'POST /v1/federation/capability-tokens');
  const issue = async (target: string, type: TargetType, seconds: number): Promise<string> => {
    const { token_json: token } = await client.call('POST /v1/federation/capability-tokens', {
      body: {
        issuer: reader.entity_uri,
        subject: reader.entity_uri,
        verb: 'subscribe',
        object: objectFor(target, type, setup.service),
        ttl_seconds: seconds,
      },
    });
    return token;
  };
  const create = async (values: FormValues): Promise<void> => {
    const target = values.text('target');
    const type = values.text('type') as TargetType;
    const token = values.optional('token') ?? (await issue(target, type, readSpan(values, 'lifetime')));
    const events = values.many('events') as NonNullable<BodyOf<'POST /v1/subscriptions'>['event_types']>;
    const { secret } = await client.subscriptions.create({
      target,
      target_type: type,
      on_change: 'webhook',
      webhook_url: values.text('webhook'),
      event_types: events.length === EVENT_TYPES.length ? null : events,
      capability_token: token,
    });
    // A repeated subscription has no new secret.
    if (secret === undefined) return actions.done(fill(own.known, { target }));
    actions.done(
      fill(own.createdDone, { target }),
      <SecretDialog title={own.secretTitle} secret={secret} text={own.secretText} onClose={actions.close} />,
    );
  };
  return (
    <FormDialog title={own.create} submit={own.create} onSubmit={create} onClose={actions.close}>
      <ChoiceField
        name="type"
        label={own.targetType}
        options={TARGET_TYPES.map((value) => ({ value, label: own.targetTypes[value] }))}
      />
      <TextField name="target" label={own.target} hint={own.targetHint} isRequired maxLength={2048} />
      <TextField name="webhook" label={own.webhook} hint={own.webhookHint} type="url" isRequired maxLength={2048} />
      <ChecksField
        name="events"
        label={own.eventTypes}
        options={EVENT_TYPES.map((value) => ({ value, label: own.events[value] }))}
        checked={EVENT_TYPES}
      />
      {canIssue && (
        <SpanField name="lifetime" label={own.lifetime} hint={own.lifetimeHint} among={LIFETIMES} value="quarter" />
      )}
      <details open={!canIssue}>
        <summary>{own.ownToken}</summary>
        <AreaField name="token" label={own.token} hint={own.tokenHint} isRequired={!canIssue} />
      </details>
    </FormDialog>
  );
};
