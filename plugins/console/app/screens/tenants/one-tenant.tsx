import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Counts } from '../../kit/counts.tsx';
import { DetailView } from '../../kit/detail-view.tsx';
import { DownloadButton } from '../../kit/download-button.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { TextField } from '../../kit/form-fields.tsx';
import { Instant } from '../../kit/instant.tsx';
import { JobProgress } from '../../kit/job-progress.tsx';
import { Receipt } from '../../kit/receipt.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { EraseTenant } from './erase-tenant.tsx';
import { TenantState } from './tenant-state.tsx';

type Tenant = AnswerOf<'GET /v1/tenants/{id}'>;

/** The tenant of the operator, which is never suspended or erased. */
const DEFAULT_TENANT = 'default';

export const OneTenant = ({ id }: { id: string }) => {
  const { client } = useSession();
  const asked = useRequest((signal) => client.call('GET /v1/tenants/{id}', { params: { id }, signal }), [id]);
  const actions = useActions(asked.reload);
  return (
    <DetailView screen="tenants" asked={asked}>
      {(tenant) => (
        <>
          <TenantHead tenant={tenant} actions={actions} />
          <TenantMembers tenant={tenant} />
          <Erasure tenant={tenant} onDone={asked.reload} />
        </>
      )}
    </DetailView>
  );
};

const TenantHead = ({ tenant, actions }: { tenant: Tenant; actions: Actions }) => {
  const { client, setup, own } = useSession('tenants');
  const { id, status } = tenant;
  const isThere = status === 'active' || status === 'suspended';
  const isOther = id !== DEFAULT_TENANT;
  return (
    <>
      <ScreenHead
        title={
          <>
            {id} {tenant.name !== null && <ShownText text={tenant.name} />}
          </>
        }
      >
        {isThere && (
          <Button text={own.rename} onClick={() => actions.show(<Rename tenant={tenant} actions={actions} />)} />
        )}
        {isThere && isOther && (
          <Button
            text={status === 'active' ? own.suspend : own.resume}
            onClick={() => actions.show(<Suspend tenant={tenant} actions={actions} />)}
          />
        )}
        {isThere && hasRoute(setup, 'GET /v1/tenants/{id}/export') && (
          <DownloadButton
            label={own.export}
            fileName={`tenant-${id}.jsonl`}
            ask={(signal) => client.open('GET', '/v1/tenants/{id}/export', { params: { id }, signal, timeoutMs: 0 })}
          />
        )}
        {isThere && isOther && (
          <Button
            text={own.erase}
            class="danger"
            onClick={() => actions.show(<EraseTenant id={id} actions={actions} />)}
          />
        )}
      </ScreenHead>
      {actions.view}
    </>
  );
};

const TenantMembers = ({ tenant }: { tenant: Tenant }) => {
  const { own } = useSession('tenants');
  return (
    <>
      <dl class="members">
        <dt>{own.state}</dt>
        <dd>
          <TenantState status={tenant.status} />{' '}
          {tenant.suspended_at !== null && <Instant at={tenant.suspended_at} relative />}
        </dd>
        <dt>{own.created}</dt>
        <dd>
          <Instant at={tenant.created_at} />
        </dd>
      </dl>
      <h2>{own.holds}</h2>
      <Counts label={own.holds} counts={tenant.counts} />
    </>
  );
};

const Erasure = ({ tenant, onDone }: { tenant: Tenant; onDone: () => void }) => {
  const { own } = useSession('tenants');
  const { erasure } = tenant;
  if (erasure === null) return null;
  const { receipt } = erasure;
  return (
    <section>
      <h2>{own.erasure}</h2>
      <p>
        {own.askedBy} <ShownText text={erasure.requested_by} /> <Instant at={erasure.requested_at} />
      </p>
      {receipt === null && erasure.job_id !== null && <JobProgress id={erasure.job_id} onDone={onDone} />}
      {receipt !== null && <Receipt receipt={receipt} />}
    </section>
  );
};

const Rename = ({ tenant, actions }: { tenant: Tenant; actions: Actions }) => {
  const { client, own } = useSession('tenants');
  return (
    <FormDialog
      title={own.rename}
      submit={own.rename}
      onClose={actions.close}
      onSubmit={async (values) => {
        const body = { name: values.optional('name') ?? null };
        await client.call('PATCH /v1/tenants/{id}', { params: { id: tenant.id }, body });
        actions.done(own.renamed);
      }}
    >
      <TextField name="name" label={own.name} value={tenant.name ?? ''} maxLength={1024} />
    </FormDialog>
  );
};

const Suspend = ({ tenant, actions }: { tenant: Tenant; actions: Actions }) => {
  const { client, own } = useSession('tenants');
  const { id } = tenant;
  const isActive = tenant.status === 'active';
  return (
    <FormDialog
      title={fill(isActive ? own.suspendTitle : own.resumeTitle, { id })}
      submit={isActive ? own.suspend : own.resume}
      isDangerous={isActive}
      onClose={actions.close}
      onSubmit={async () => {
        const body = { status: isActive ? ('suspended' as const) : ('active' as const) };
        await client.call('PATCH /v1/tenants/{id}', { params: { id }, body });
        actions.done(fill(isActive ? own.suspended : own.resumed, { id }));
      }}
    >
      <p>{isActive ? own.suspendText : own.resumeText}</p>
    </FormDialog>
  );
};
