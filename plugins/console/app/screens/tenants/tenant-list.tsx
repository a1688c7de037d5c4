import { useState } from 'preact/hooks';
import { type AnswerOf, FactMemoryError } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { NewTenant } from './new-tenant.tsx';
import { TenantState, type TenantStatus } from './tenant-state.tsx';

type Tenant = AnswerOf<'GET /v1/tenants'>['tenants'][number];

const STATUSES: readonly TenantStatus[] = ['active', 'suspended', 'erasing', 'erased'];
const PAGE_TENANTS = 100;

export const TenantList = () => {
  const { client, texts, own } = useSession('tenants');
  const [status, setStatus] = useState('');
  const tenants = usePaged<Tenant>(
    async (cursor, signal) => {
      const query = {
        limit: PAGE_TENANTS,
        ...(cursor && { cursor }),
        ...(status !== '' && { status: status as TenantStatus }),
      };
      const page = await client.call('GET /v1/tenants', { query, signal });
      return { items: page.tenants, cursor: page.cursor };
    },
    [status],
  );
  const actions = useActions(tenants.reload);
  const isOff = tenants.error instanceof FactMemoryError && tenants.error.code === 'multi_tenant_disabled';
  if (isOff) {
    return (
      <>
        <ScreenHead title={texts.screens.tenants} />
        <Empty title={own.off} hint={own.offHint} />
      </>
    );
  }
  return (
    <>
      <ScreenHead title={texts.screens.tenants}>
        <Button text={own.create} class="primary" onClick={() => actions.show(<NewTenant actions={actions} />)} />
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      <div class="bar">
        <select aria-label={own.filter} value={status} onChange={({ currentTarget }) => setStatus(currentTarget.value)}>
          <option value="">{own.all}</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {own.states[each]}
            </option>
          ))}
        </select>
      </div>
      {actions.view}
      <VirtualRows
        label={texts.screens.tenants}
        paged={tenants}
        keyOf={({ id }) => id}
        empty={<Empty title={own.nothing} />}
      >
        {(tenant) => (
          <RecordLine
            head={
              <>
                <a href={addressOf('tenants', { tenant: tenant.id })}>{tenant.id}</a>
                {tenant.name !== null && <ShownText text={tenant.name} />}
                <TenantState status={tenant.status} />
              </>
            }
            about={
              <>
                {own.created} <Instant at={tenant.created_at} relative />
              </>
            }
          />
        )}
      </VirtualRows>
    </>
  );
};
